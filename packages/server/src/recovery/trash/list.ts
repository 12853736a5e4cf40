import { isoTime } from '../../base/clock.js'
import { decodeCursor, encodeCursor, listFingerprint, type Page } from '../../base/paging.js'
import type { Call } from '../../operations/call.js'
import { projectNamed } from '../../tenancy/projects/service.js'
import { refOf } from '../history/entries.js'
import { isVisible, requireRead } from '../history/visible.js'
import type { TrashEntry, TrashList } from './schema.js'
import type { StoredEntry } from './store.js'
import * as store from './store.js'

const entriesPerRead = 200
/** So many entries are looked through for one page. */
const maxEntriesRead = 4_000

const shown = (entry: StoredEntry, keptForMs: number): TrashEntry => ({
  id: entry.id,
  kind: entry.kind,
  ...refOf(entry.kind, entry.record, entry.projectId, entry.title),
  title: entry.title,
  version: entry.version,
  deletedAt: isoTime(entry.deletedAtMs),
  deletedBy: entry.actor,
  purgedAt: isoTime(entry.deletedAtMs + keptForMs),
  status: entry.state === 'restoring' ? 'restoring' : 'deleted',
})

/** A page of what was deleted, the newest first. */
export const listTrash = async (call: Call, query: TrashList, keptForMs: number): Promise<Page<TrashEntry>> => {
  const { db, actor } = call
  const { tenantId } = actor
  const { kind, limit = 50, cursor } = query
  if (kind) requireRead(actor, kind)
  const projectId = query.projectId === undefined ? undefined : (await projectNamed(call, query.projectId)).id
  const fingerprint = listFingerprint([tenantId, 'trash', kind, projectId])
  let before =
    cursor === undefined ? undefined : decodeCursor<[number, string]>(cursor, fingerprint, ['integer', 'text'])
  const items: TrashEntry[] = []
  const nextPage = (): Page<TrashEntry> => ({ items, hasMore: true, nextCursor: encodeCursor(fingerprint, before!) })
  for (let entriesRead = 0; entriesRead < maxEntriesRead; entriesRead += entriesPerRead) {
    const entries = await store.listEntries(db, tenantId, before, entriesPerRead)
    for (const entry of entries) {
      const isWanted =
        entry.state !== 'purging' &&
        (!kind || entry.kind === kind) &&
        (projectId === undefined || entry.projectId === projectId) &&
        isVisible(actor, entry.kind, entry.projectId)
      if (isWanted && items.length === limit) return nextPage()
      if (isWanted) items.push(shown(entry, keptForMs))
      before = [entry.deletedAtMs, entry.id]
    }
    if (entries.length < entriesPerRead) return { items, hasMore: false, nextCursor: null }
  }
  return nextPage()
}
