import { isIPv6 } from 'node:net'

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
