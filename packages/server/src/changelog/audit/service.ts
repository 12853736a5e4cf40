import { isoTime } from '../../base/clock.js'
import { timeOf } from '../../base/dates.js'
import { invalid } from '../../base/errors.js'
import { newId } from '../../base/ids.js'
import { type Page, pagedList } from '../../base/paging.js'
import type { Sql } from '../../db/port.js'
import { actorRef } from '../../operations/actor.js'
import type { Call } from '../../operations/call.js'
import { type AuditAction, auditActions } from './actions.js'
import type { AuditEntry, AuditList } from './schema.js'
import * as store from './store.js'

/** Stands where a tenant does for what belongs to none. */
export const noTenant = ''

interface Audited {
  /** The id of what was acted on. */
  subject?: string
  /** What else there is to say; never a secret. */
  details?: Record<string, unknown>
}

/** Writes an action down, in the transaction of the action itself. */
export const audit = (call: Call, action: AuditAction, { subject, details = {} }: Audited = {}): Promise<void> => {
  const { actor, origin } = call
  const at = isoTime(call.clock())
  return store.saveEntry(call.db, actor.tenantId, {
    id: newId('aud'),
    at,
    action,
    actor: actorRef(actor),
    address: origin.address,
    requestId: origin.requestId,
    via: origin.via,
    subject: subject ?? null,
    details,
    count: 1,
    lastAt: at,
  })
}

/** The range of actions that a filter stands for. */
const actionsOf = (action: string): readonly [from: string, end: string] => {
  const kind = action.endsWith('.*') ? action.slice(0, -1) : undefined
  if (!auditActions.some((known) => (kind === undefined ? known === action : known.startsWith(kind)))) {
    throw invalid({
      path: 'action',
      message: `must be all of a kind, such as key.*, or one of ${auditActions.join(', ')}`,
    })
  }
  return kind === undefined ? [action, `${action}\u0001`] : [kind, `${kind}\u{10ffff}`]
}

/** A page of a tenant's entries, or of those that belong to none, newest first. */
export const listAudit = async (db: Sql, tenantId: string, query: AuditList): Promise<Page<AuditEntry>> => {
  const { action, keyId, result, since, until } = query
  const filter = {
    actions: action === undefined ? undefined : actionsOf(action),
    keyId,
    result,
    sinceMs: timeOf('since', since),
    untilMs: timeOf('until', until),
  }
  return pagedList(query, {
    list: [tenantId, 'audit', action, keyId, result, filter.sinceMs, filter.untilMs],
    kinds: ['integer', 'text'],
    read: (before, count) => store.listEntries(db, tenantId, { ...filter, before }, count),
    placeOf: ({ at, id }) => [Date.parse(at), id],
  })
}
