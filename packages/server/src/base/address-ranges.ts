import { BlockList, isIP } from 'node:net'

/** Every range that is not the public internet (IANA special-purpose registries), and what clouds keep on public ones. */
const privateRanges = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10', // CGNAT
  '127.0.0.0/8',
  '168.63.129.16/32', // Azure's inner services
  '169.254.0.0/16', // link-local, metadata
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '2001::/23', // Teredo, ORCHID and other protocols
  '2001:db8::/32',
  '2002::/16', // 6to4: carries any IPv4 address
  '2620:4f:8000::/48',
  '3fff::/20',
  '5f00::/16',
]

/** All of IPv6 that is in public use. NAT64, mapped, local and every other kind of address lies outside. */
const publicIpv6 = '2000::/3'

export const parseRange = (text: string): { address: string; prefix: number; family: 'ipv4' | 'ipv6' } | undefined => {
  const [address = '', prefixText, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0 || (prefixText !== undefined && !/^\d{1,3}$/.test(prefixText))) return undefined
  const bits = version === 4 ? 32 : 128
  const prefix = prefixText === undefined ? bits : Number(prefixText)
  return prefix > bits ? undefined : { address, prefix, family: version === 4 ? 'ipv4' : 'ipv6' }
}

const listOf = (ranges: readonly string[]): BlockList => {
  const list = new BlockList()
  for (const text of ranges) {
    const range = parseRange(text)
    if (!range) throw new Error(`"${text}" is not an address range`)
    list.addSubnet(range.address, range.prefix, range.family)
  }
  return list
}

const inner = listOf(privateRanges)
const global6 = listOf([publicIpv6])
const mappedIpv4 = /^::ffff:(?:(\d+\.\d+\.\d+\.\d+)|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/i

/** An IPv4 address written as IPv6 means the IPv4 one: that is where the connection goes. */
const plain = (address: string): string => {
  const [, dotted, high, low] = mappedIpv4.exec(address) ?? []
  if (dotted) return dotted
  if (high === undefined || low === undefined) return address
  const bits = Number.parseInt(high, 16) * 65_536 + Number.parseInt(low, 16)
  return [bits >>> 24, (bits >>> 16) & 255, (bits >>> 8) & 255, bits & 255].join('.')
}

/** `allowed` is what the operator lets through although it is inside; plain http is taken there too. */
export type Verdict = 'public' | 'allowed' | 'refused'

export const createAddressRule = (allowedRanges: readonly string[]): ((address: string) => Verdict) => {
  const allowed = listOf(allowedRanges)
  return (given) => {
    const address = plain(given.replace(/%.*$/, ''))
    const version = isIP(address)
    if (version === 0) return 'refused'
    const family = version === 4 ? 'ipv4' : 'ipv6'
    if (allowed.check(address, family)) return 'allowed'
    if (inner.check(address, family)) return 'refused'
    return version === 4 || global6.check(address, family) ? 'public' : 'refused'
  }
}
