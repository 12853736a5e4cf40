import type { Clock } from '../../../base/clock.js'
import type { Db } from '../../../db/port.js'
import type { LookUps } from '../../../limits/limiter.js'
import type { Actor } from '../../../operations/actor.js'
import { type Authenticator, createAuthenticator } from '../authenticator.js'
import { sessionCredential } from './credential.js'
import { sessionLifetimeMs } from './service.js'
import { renewSession } from './store.js'

declare module '../../../operations/core.js' {
  interface Core {
    readonly sessions: Sessions
  }
}

/** The sessions of the web console in use on this node. */
export interface Sessions {
  readonly authenticator: Authenticator
  /** Renews the session that a request was made with, if any. */
  noteUse(actor: Actor): void
  flush(): Promise<void>
}

/** A session in constant use is renewed once in this time. */
const writeEveryMs = 60_000
const maxRemembered = 10_000

interface Use {
  tenantId: string
  sessionId: string
  usedAtMs: number
}

/** Gathers when sessions were used, to renew them now and then instead of with each request. */
export const createSessions = (db: Db, clock: Clock, lookUps: LookUps): Sessions => {
  const notedAt = new Map<string, number>()
  let unwritten: Use[] = []
  return {
    authenticator: createAuthenticator(db, clock, lookUps, sessionCredential(clock)),
    noteUse: ({ tenantId, sessionId }) => {
      if (sessionId === undefined) return
      const usedAtMs = clock()
      if (usedAtMs - (notedAt.get(sessionId) ?? 0) < writeEveryMs) return
      if (notedAt.size >= maxRemembered) notedAt.clear()
      notedAt.set(sessionId, usedAtMs)
      if (unwritten.length < maxRemembered) unwritten.push({ tenantId, sessionId, usedAtMs })
    },
    flush: async () => {
      const uses = unwritten
      unwritten = []
      const renewals = uses.map(({ tenantId, sessionId, usedAtMs }) =>
        renewSession(db.ofTenant(tenantId), tenantId, sessionId, usedAtMs, usedAtMs + sessionLifetimeMs),
      )
      const failed = (await Promise.allSettled(renewals)).find(({ status }) => status === 'rejected')
      if (!failed) return
      unwritten = [...uses, ...unwritten].slice(0, maxRemembered)
      throw (failed as PromiseRejectedResult).reason
    },
  }
}
