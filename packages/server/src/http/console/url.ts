import { isIPv6 } from 'node:net'
import type { Config } from '../../config.js'

/** Listening on all addresses, the service is reached at this machine's own. */
const allAddresses = new Set(['0.0.0.0', '::', ''])

/** Where a browser finds what is at a path of the service. */
export const browserUrl = ({ publicUrl, host }: Pick<Config, 'publicUrl' | 'host'>, port: number, path: string) => {
  if (publicUrl !== undefined) return `${publicUrl}${path}`
  const name = allAddresses.has(host) ? 'localhost' : isIPv6(host) ? `[${host}]` : host
  return `http://${name}:${port}${path}`
}
