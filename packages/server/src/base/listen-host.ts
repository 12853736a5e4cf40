import { isIPv6 } from 'node:net'
import { isInRanges, parseAddress, rangesOf } from './address-ranges.js'

const loopback = rangesOf(['127.0.0.0/8', '::1'])

/** Whether only programs on this machine can reach a server that listens on this host. */
export const isLoopback = (host: string): boolean => host === 'localhost' || isInRanges(loopback, parseAddress(host))

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
