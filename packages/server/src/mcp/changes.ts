import { decodeCursor, encodeCursor, listFingerprint } from '../base/paging.js'
import type { EventType } from '../changelog/event-types.js'
import type { ActorRef } from '../operations/actor.js'
import type { Call, Interface } from '../operations/call.js'
import { type EventSubject, readNewest } from '../subscribers/events/read.js'
import { visibleTo } from '../subscribers/events/visible.js'
import { projectNamed } from '../tenancy/projects/service.js'
import { isTaskId } from '../work/tasks/references.js'
import { parsed } from './text/text.js'

/** A change that was made to a record. */
export interface Change {
  readonly type: EventType
  readonly at: string
  readonly keyName: string
  readonly via: Interface
  /** The id or the key of the record. */
  readonly record: string
  readonly version: number | undefined
  readonly changes: Readonly<Record<string, { from: unknown; to: unknown }>>
}

interface ChangesWanted {
  /** The id of a task, the key of a note, or `me`. */
  readonly of: string
  readonly project: string | undefined
  readonly sinceMs: number
  readonly cursor: string | undefined
  readonly limit: number
}

interface LoggedEvent {
  type: EventType
  timestamp: string
  actor: ActorRef
  via: Interface
  data: Record<string, unknown>
  previous: Record<string, unknown> | null
}

const changeOf = ({ type, timestamp, actor, via, data, previous }: LoggedEvent): Change => ({
  type,
  at: timestamp,
  keyName: actor.keyName,
  via,
  record: String(data.key ?? data.taskId ?? data.id ?? ''),
  version: data.version as number | undefined,
  changes: Object.fromEntries(
    Object.entries(previous ?? {})
      .filter(([name]) => name !== 'truncated')
      .map(([name, from]) => [name, { from, to: data[name] }]),
  ),
})

const subjectOf = (of: string, keyId: string): EventSubject => {
  if (of === 'me') return { keyId }
  return isTaskId(of) ? { taskId: of } : { knowledgeKey: of }
}

/** The newest changes, with a cursor after each for those before it; `rest` is the cursor where all of them are read. */
export const readChanges = async (
  call: Call,
  { of, project, sinceMs, cursor, limit }: ChangesWanted,
): Promise<{ changes: { change: Change; next: string }[]; rest: string | null }> => {
  const { actor, db } = call
  const projectIds = project === undefined ? null : [(await projectNamed(call, project)).id]
  const filter = visibleTo(actor, { types: null, projectIds })
  const fingerprint = listFingerprint([actor.tenantId, 'changes', of, projectIds, sinceMs])
  const cursorAt = (before: number): string => encodeCursor(fingerprint, [before])
  const before = cursor === undefined ? undefined : decodeCursor<[number]>(cursor, fingerprint, ['integer'])[0]
  const about = subjectOf(of, actor.keyId)
  const { events, next } = await readNewest(db, actor.tenantId, about, filter, { sinceMs, before, limit })
  return {
    changes: events.map(({ sequence, json }) => ({
      change: changeOf(parsed<LoggedEvent>(json)),
      next: cursorAt(sequence),
    })),
    rest: next === null ? null : cursorAt(next),
  }
}
