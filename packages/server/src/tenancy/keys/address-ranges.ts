import { isIP } from 'node:net'

/** The 128 bits of an address, an IPv4 one as IPv6 maps it, of which the first `prefix` count. */
interface AddressRange {
  readonly bits: bigint
  readonly prefix: number
}

const mappedIpv4 = 0xffff00000000n
const addressBits = 128

const ipv4Bits = (address: string): bigint => address.split('.').reduce((bits, part) => bits * 256n + BigInt(part), 0n)

const groupsOf = (text: string): bigint[] => {
  if (text === '') return []
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [BigInt(`0x${group}`)]
    const bits = ipv4Bits(group)
    return [bits >> 16n, bits & 0xffffn]
  })
}

const ipv6Bits = (address: string): bigint => {
  const [head = '', tail] = address.split('::')
  const front = groupsOf(head)
  const back = tail === undefined ? [] : groupsOf(tail)
  const zeros = Array<bigint>(8 - front.length - back.length).fill(0n)
  return [...front, ...zeros, ...back].reduce((bits, group) => bits * 65_536n + group, 0n)
}

/** An address or a CIDR range; undefined for anything else. */
export const parseAddressRange = (text: string): AddressRange | undefined => {
  const [address = '', prefixText, ...rest] = text.split('/')
  const version = address.includes('%') ? 0 : isIP(address)
  if (version === 0 || rest.length > 0 || (prefixText !== undefined && !/^\d{1,3}$/.test(prefixText))) return undefined
  const width = version === 4 ? 32 : addressBits
  const given = prefixText === undefined ? width : Number(prefixText)
  if (given > width) return undefined
  const bits = version === 4 ? mappedIpv4 + ipv4Bits(address) : ipv6Bits(address)
  return { bits, prefix: given + addressBits - width }
}

const holds = (outer: AddressRange, inner: AddressRange): boolean => {
  const ignored = BigInt(addressBits - outer.prefix)
  return inner.prefix >= outer.prefix && inner.bits >> ignored === outer.bits >> ignored
}

/** Parsed once for as long as a key's list is remembered. */
const parsed = new WeakMap<readonly string[], AddressRange[]>()

const rangesOf = (texts: readonly string[]): AddressRange[] => {
  let ranges = parsed.get(texts)
  if (!ranges) {
    ranges = texts.map((text) => parseAddressRange(text)!)
    parsed.set(texts, ranges)
  }
  return ranges
}

const isWithin = (outer: readonly string[], text: string): boolean => {
  const inner = parseAddressRange(text)
  return inner !== undefined && rangesOf(outer).some((range) => holds(range, inner))
}

/** Whether a client's address is one of the addresses, or in one of the ranges. */
export const isAllowedAddress = (allowed: readonly string[], address: string): boolean =>
  isWithin(allowed, address.split('%', 1)[0]!)

/** Whether every one of the inner ranges lies within one of the outer; null is all addresses. */
export const areWithin = (outer: readonly string[] | null, inner: readonly string[] | null): boolean =>
  outer === null || (inner?.every((range) => isWithin(outer, range)) ?? false)
