import { hash, timingSafeEqual } from 'node:crypto'
import { BlockList, isIP } from 'node:net'
import type { Config } from '../config.js'
import { AppError } from '../errors.js'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

const isLoopback = (host: string): boolean =>
  host === 'localhost' || (isIP(host) > 0 && loopback.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4'))

/** Hashed first, so that neither the length nor the first wrong character shows in the time it takes. */
const isSame = (a: string, b: string): boolean =>
  timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'))

/** Throws UNAUTHORIZED unless the figures may be read: with the token, or without one on this machine alone. */
export const requireMetricsAccess = (
  { host, metricsToken }: Pick<Config, 'host' | 'metricsToken'>,
  authorization: string | undefined,
): void => {
  if (metricsToken === undefined) {
    if (isLoopback(host)) return
    throw new AppError('UNAUTHORIZED', 'Set METRICS_TOKEN to read /metrics on a HOST other than loopback.', {
      reason: 'missing',
    })
  }
  if (isSame(authorization ?? '', `Bearer ${metricsToken}`)) return
  throw new AppError('UNAUTHORIZED', 'Send METRICS_TOKEN as a bearer token.', { reason: 'invalid' })
}
