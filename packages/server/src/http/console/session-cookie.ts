import type { FastifyRequest } from 'fastify'
import type { SentHalves } from '../../tenancy/keys/sessions/secret.js'

const sessionHeader = 'worklore-session'

const isSecure = ({ protocol, host }: FastifyRequest, publicUrl: string | undefined): boolean =>
  protocol === 'https' || (publicUrl !== undefined && new URL(publicUrl).origin === `https://${host.toLowerCase()}`)

/**
 * Named by port, since services on other ports of one host share its cookies. Over TLS the prefix keeps other hosts of
 * the domain from setting it.
 */
const cookieName = (request: FastifyRequest, publicUrl: string | undefined): string => {
  const isOverTls = isSecure(request, publicUrl)
  const port = request.port ?? (isOverTls ? 443 : 80)
  return `${isOverTls ? '__Host-' : ''}worklore_${port}`
}

export const cookiesNamed = (header: string | undefined, name: string): string[] =>
  (header?.split(';') ?? []).flatMap((pair) => {
    const at = pair.indexOf('=')
    return at !== -1 && pair.slice(0, at).trim() === name ? [pair.slice(at + 1).trim()] : []
  })

/** The two halves that a request came with; undefined where the page sent none. */
export const sessionTokenPair = (request: FastifyRequest, publicUrl: string | undefined): SentHalves | undefined => {
  const { headers } = request
  const secret = headers[sessionHeader]
  if (typeof secret !== 'string') return undefined
  return { secret, cookies: cookiesNamed(headers.cookie, cookieName(request, publicUrl)) }
}

const setCookie = (
  request: FastifyRequest,
  publicUrl: string | undefined,
  value: string,
  maxAgeSeconds: number,
): string =>
  `${cookieName(request, publicUrl)}=${value}; Path=/; HttpOnly; SameSite=Strict${isSecure(request, publicUrl) ? '; Secure' : ''}; Max-Age=${maxAgeSeconds}`

/** The browser keeps it for longer than a session lasts, which the service renews and ends. */
export const sessionCookie = (request: FastifyRequest, publicUrl: string | undefined, cookie: string): string =>
  setCookie(request, publicUrl, cookie, 31_536_000)

export const clearedCookie = (request: FastifyRequest, publicUrl: string | undefined): string =>
  setCookie(request, publicUrl, '', 0)
