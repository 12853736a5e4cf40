import type { FastifyRequest } from 'fastify'
import { cookiesNamed } from '../session-cookie.js'

/** A cookie of a sign-in, which always happens at the public address. */
interface SignInCookie {
  values(request: FastifyRequest): string[]
  set(value: string): string
  cleared(): string
}

interface CookieOptions {
  name: string
  maxAgeSeconds: number
  /** `Lax` is sent when another site leads the browser back here, `Strict` is not. */
  sameSite: 'Lax' | 'Strict'
}

/** As with sessions, ports do not separate cookies, and the prefix keeps other hosts of the domain from setting it. */
const signInCookie = (publicUrl: string, { name, maxAgeSeconds, sameSite }: CookieOptions): SignInCookie => {
  const { protocol, port } = new URL(publicUrl)
  const isSecure = protocol === 'https:'
  const fullName = `${isSecure ? '__Host-' : ''}worklore_${name}_${port || (isSecure ? 443 : 80)}`
  const setting = (value: string, seconds: number): string =>
    `${fullName}=${value}; Path=/; HttpOnly; SameSite=${sameSite}${isSecure ? '; Secure' : ''}; Max-Age=${seconds}`
  return {
    values: ({ headers }) => cookiesNamed(headers.cookie, fullName),
    set: (value) => setting(value, maxAgeSeconds),
    cleared: () => setting('', 0),
  }
}

export const loginLifetimeMs = 10 * 60_000

/** What the browser must bring back from the issuer, sealed. */
export const loginCookie = (publicUrl: string): SignInCookie =>
  signInCookie(publicUrl, { name: 'login', maxAgeSeconds: loginLifetimeMs / 1_000, sameSite: 'Lax' })

/** The browser's own secret, without which its one-time link is worth nothing. */
export const linkCookie = (publicUrl: string): SignInCookie =>
  signInCookie(publicUrl, { name: 'link', maxAgeSeconds: 120, sameSite: 'Strict' })
