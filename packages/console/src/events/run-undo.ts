import type { UndoBody, UndoReport } from 'worklore-client'
import type { Client } from '../api/client'

/** A dry run looks at this many pages at most. */
const maxDryPages = 25

/** All pages of an undo in one report; those of a real one go by one request id, so that they can be undone together. */
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

export const newRequestId = (): string =>
  `undo-${[...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
