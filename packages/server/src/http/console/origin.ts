import type { FastifyRequest } from 'fastify'
import { AppError } from '../../base/errors.js'

/** Names of this machine itself, whatever the port: no name server can point them elsewhere. */
const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]'])

const hostnameOf = (host: string): string => host.replace(/:\d{1,5}$/, '').toLowerCase()

const wrongHost = (): AppError =>
  new AppError(
    'host',
    'The web console may not be used at this address. Open it at localhost, or let the operator set WORKLORE_URL to this address.',
  )

const wrongOrigin = (): AppError =>
  new AppError('origin', 'Sessions of the web console are accepted only from its own pages.')

const isAllowedHost = (host: string, publicUrl: string | undefined): boolean =>
  loopbackHosts.has(hostnameOf(host)) || (publicUrl !== undefined && new URL(publicUrl).host === host.toLowerCase())

/**
 * Whether the page that sent the request is of the same origin. Browsers say so in a header that no page can set; to
 * those that do not, `Origin` says it for all but plain reads.
 */
const isSameOrigin = ({ headers, host, protocol }: FastifyRequest, publicUrl: string | undefined): boolean => {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  const { origin } = headers
  if (origin === undefined) return false
  return origin === `${protocol}://${host}` || (publicUrl !== undefined && origin === new URL(publicUrl).origin)
}

/**
 * Refuses a request with a session that another page may have made: one under a name that was pointed at this service
 * (DNS rebinding), or one of another origin. Ports do not separate cookies, so these come with the cookie too.
 */
export const checkConsoleOrigin = (request: FastifyRequest, publicUrl: string | undefined): void => {
  if (!isAllowedHost(request.host, publicUrl)) throw wrongHost()
  if (!isSameOrigin(request, publicUrl)) throw wrongOrigin()
}
