import { BlockList, isIP, isIPv6 } from 'node:net'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Whether only this machine can reach what listens on this host. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || (isIP(host) > 0 && loopback.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4'))

/** Listening on all addresses, the service is reached at this machine's own. */
const allAddresses = new Set(['0.0.0.0', '::', ''])

/** Where a browser finds what is at a path of the service. */
export const browserUrl = (
  { publicUrl, host }: { publicUrl: string | undefined; host: string },
  port: number,
  path: string,
): string => {
  if (publicUrl !== undefined) return `${publicUrl}${path}`
  const name = allAddresses.has(host) ? 'localhost' : isIPv6(host) ? `[${host}]` : host
  return `http://${name}:${port}${path}`
}
