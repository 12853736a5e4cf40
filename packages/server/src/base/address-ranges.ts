import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Ranges outside the public internet: IANA's special-purpose registries, and services inside clouds. */
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

/** The IPv6 addresses in public use. Excludes NAT64, local and all other kinds of addresses. */
const publicIpv6 = '2000::/3'

/** A network of IPv6 addresses, or of IPv4 addresses in their IPv6-mapped form. */
interface AddressRange {
  readonly address: ipaddr.IPv6
  readonly prefix: number
}

const addressBits = 128
const ipv4Bits = 32

const asIpv6 = (address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv6 =>
  address instanceof ipaddr.IPv4 ? address.toIPv4MappedAddress() : address

/**
 * Parses an address; undefined if the text is not one. ipaddr.js alone would accept octal and shortened IPv4 addresses.
 */
export const parseAddress = (text: string): AddressRange | undefined => {
  if (isIP(text) === 0) return undefined
  const parsed = ipaddr.parse(text)
  // Only link-local addresses have a zone, such as fe80::1%eth0.
  if (text.includes('%') && parsed.range() !== 'linkLocal') return undefined
  return { address: asIpv6(parsed), prefix: addressBits }
}

/** Parses an address or a CIDR range; undefined if the text is neither. */
export const parseRange = (text: string): AddressRange | undefined => {
  const [start = '', prefixText, ...rest] = text.split('/')
  const parsed = text.includes('%') || rest.length > 0 ? undefined : parseAddress(start)
  if (!parsed || prefixText === undefined) return parsed
  const bits = isIP(start) === 4 ? ipv4Bits : addressBits
  if (!/^\d{1,3}$/.test(prefixText) || Number(prefixText) > bits) return undefined
  return { address: parsed.address, prefix: addressBits - bits + Number(prefixText) }
}

/** Whether one of the ranges contains the whole inner range. */
export const isInRanges = (ranges: readonly AddressRange[], inner: AddressRange | undefined): boolean =>
  inner !== undefined &&
  ranges.some(({ address, prefix }) => inner.prefix >= prefix && inner.address.match(address, prefix))

/** Parses ranges that were already validated. */
export const rangesOf = (texts: readonly string[]): AddressRange[] =>
  texts.map((text) => {
    const range = parseRange(text)
    if (!range) throw new Error(`"${text}" is not an address range`)
    return range
  })

/** The parsed form of each key's list, kept while the list itself is in memory. */
const parsed = new WeakMap<readonly string[], AddressRange[]>()

const parsedRanges = (texts: readonly string[]): AddressRange[] => {
  let ranges = parsed.get(texts)
  if (!ranges) {
    ranges = rangesOf(texts)
    parsed.set(texts, ranges)
  }
  return ranges
}

/** Whether a client's address is in one of the ranges. */
export const isAllowedAddress = (allowed: readonly string[], address: string): boolean =>
  isInRanges(parsedRanges(allowed), parseAddress(address))

/** Whether each of the inner ranges is within one of the outer ranges; null means all addresses. */
export const areWithin = (outer: readonly string[] | null, inner: readonly string[] | null): boolean =>
  outer === null || (inner?.every((range) => isInRanges(parsedRanges(outer), parseRange(range))) ?? false)

const inner = rangesOf(privateRanges)
const publicRanges = rangesOf(['0.0.0.0/0', publicIpv6])

/** `allowed`: the operator permits the address although it is not public; webhooks may then use plain http. */
export type Verdict = 'public' | 'allowed' | 'refused'

export const createAddressRule = (allowedRanges: readonly string[]): ((address: string) => Verdict) => {
  const allowed = rangesOf(allowedRanges)
  return (text) => {
    const address = parseAddress(text)
    if (isInRanges(allowed, address)) return 'allowed'
    return !isInRanges(inner, address) && isInRanges(publicRanges, address) ? 'public' : 'refused'
  }
}
