import { timingSafeEqual } from 'node:crypto'
import { randomBase62 } from '../../../base/ids.js'

/** What a browser holds of a session: one half in a cookie, the other in the page's own storage. */
export interface Halves {
  cookie: string
  secret: string
}

/** The halves that a request came with. A browser sends several cookies of one name where they are for different paths. */
export interface SentHalves {
  cookies: readonly string[]
  secret: string
}

/** Which session a cookie says to be of. It names its tenant, so that it is looked for there alone. */
export interface SessionRef {
  tenantId: string
  sessionId: string
}

const wellFormedCookie = /^([0-9A-Za-z]{20})\.([0-9A-Za-z]{20})\.[0-9A-Za-z]{32}$/
const wellFormedSecret = /^wl_session_[0-9A-Za-z]{32}$/
const wellFormedLink = /^wl_link_([0-9A-Za-z]{20})_[0-9A-Za-z]{32}$/

const withoutPrefix = (id: string): string => id.slice(id.indexOf('_') + 1)

export const newHalves = ({ tenantId, sessionId }: SessionRef): Halves => ({
  cookie: `${withoutPrefix(tenantId)}.${withoutPrefix(sessionId)}.${randomBase62(32)}`,
  secret: `wl_session_${randomBase62(32)}`,
})

export const isSessionSecret = (secret: string): boolean => wellFormedSecret.test(secret)

/** Undefined where it is no cookie of a session. */
export const sessionNamed = (cookie: string): SessionRef | undefined => {
  const [, tenant, session] = wellFormedCookie.exec(cookie) ?? []
  return tenant === undefined ? undefined : { tenantId: `ten_${tenant}`, sessionId: `ses_${session}` }
}

export const newLink = (tenantId: string): string => `wl_link_${withoutPrefix(tenantId)}_${randomBase62(32)}`

export const tenantOfLink = (link: string): string | undefined => {
  const tenant = wellFormedLink.exec(link)?.[1]
  return tenant && `ten_${tenant}`
}

export const isSameHash = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))
