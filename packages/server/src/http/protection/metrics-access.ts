import { hash, timingSafeEqual } from 'node:crypto'
import { AppError } from '../../base/errors.js'
import { isLoopback } from '../../base/listen-host.js'
import type { Config } from '../../config.js'

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
    throw new AppError('missing', 'Set METRICS_TOKEN to read /metrics on a HOST other than loopback.')
  }
  if (isSame(authorization ?? '', `Bearer ${metricsToken}`)) return
  throw new AppError('invalid', 'Send METRICS_TOKEN as a bearer token.')
}
