const mappedV4 = /^(?:0*:)*:?ffff:(\d+\.\d+\.\d+\.\d+)$/i
const mappedHex = /^(?:0*:)*:?ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i

const dotted = (high: string, low: string): string => {
  const bits = (Number.parseInt(high, 16) << 16) | Number.parseInt(low, 16)
  return [bits >>> 24, (bits >>> 16) & 255, (bits >>> 8) & 255, bits & 255].join('.')
}

/** The first four groups, which is what one customer is given of IPv6. */
const networkOf = (address: string): string => {
  const [head = '', tail] = address.split('::')
  const front = head === '' ? [] : head.split(':')
  const back = tail ? tail.split(':') : []
  // A dotted end stands for two groups.
  const backLength = back.length + (tail?.includes('.') ? 1 : 0)
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - front.length - backLength)
  const groups = [...front, ...Array<string>(zeros).fill('0'), ...back].slice(0, 4)
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}

/** Whom an address stands for: an IPv4 address, however it is written, or a /64 of IPv6. */
export const clientOf = (address: string): string => {
  if (!address.includes(':')) return address
  const bare = address.split('%', 1)[0]!
  const mapped = mappedV4.exec(bare)
  if (mapped) return mapped[1]!
  const hex = mappedHex.exec(bare)
  if (hex) return dotted(hex[1]!, hex[2]!)
  return networkOf(bare)
}
