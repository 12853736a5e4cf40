import type { UndoBody, UndoConflict, UndoReport } from 'worklore-client'
import { actorOf } from '../api/actor'
import type { Client } from '../api/client'
import type { Console } from '../store/console'
import type { UndoEntry } from '../store/undo-stack'

/** A dry run looks at this many pages at most. */
const maxDryPages = 25

/** Runs all pages of an undo and returns one report. Their common request ID makes it possible to undo them together. */
export const runUndo = async (
  client: Client,
  body: UndoBody & { dryRun: boolean },
  options: { signal?: AbortSignal; requestId?: string } = {},
): Promise<UndoReport> => {
  const total: UndoReport = { dryRun: body.dryRun, undone: [], conflicts: [], unchanged: [], nextCursor: null }
  for (let page = 0; page === 0 || total.nextCursor !== null; page++) {
    if (body.dryRun && page === maxDryPages) break
    const cursor = total.nextCursor
    const result = await client.history.undo({ ...body, ...(cursor !== null && { cursor }) }, options)
    total.undone.push(...result.undone)
    total.conflicts.push(...result.conflicts)
    total.unchanged.push(...result.unchanged)
    total.nextCursor = result.nextCursor
  }
  return total
}

/** Returns an ID for a request that may be undone later. */
export const newRequestId = (): string =>
  `console_${Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('')}`

/** Says why a record was not reverted. */
export const conflictText = ({ users, me }: Console, { laterChange, message }: UndoConflict): string => {
  if (!laterChange) return message
  if (laterChange.actor.keyId === me.get().key.id) return 'You have changed it since.'
  return `${actorOf(users, laterChange.actor).name} has changed it since.`
}

/**
 * Undoes a request of this session's key, or of another key if `keyId` is given, which needs an admin. Resolves with whether
 * anything was reverted. Throws if a record was changed since.
 */
export const undoRequest = async (
  app: Console,
  requestId: string,
  options: { keyId?: string; ownRequestId?: string } = {},
): Promise<boolean> => {
  const { keyId, ownRequestId } = options
  const body = { requestId, dryRun: false, ...(keyId !== undefined && { keyId }) }
  const { undone, conflicts } = await runUndo(app.client, body, ownRequestId ? { requestId: ownRequestId } : {})
  const [conflict] = conflicts
  if (conflict) throw new Error(conflictText(app, conflict))
  return undone.length > 0
}

/** Returns the entry that undoes a request, which may still be on its way. */
export const undoOf = (app: Console, what: string, requestId: string, sent?: Promise<unknown>): UndoEntry => ({
  what,
  run: async () => {
    await sent
    return undoRequest(app, requestId)
  },
})
