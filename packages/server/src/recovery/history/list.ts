import { invalid, notFound } from '../../base/errors.js'
import type { Json } from '../../base/json.js'
import { decodeCursor, encodeCursor, listFingerprint, type Page } from '../../base/paging.js'
import { arrivalOf, stayBefore } from '../../changelog/versions/stay.js'
import { kindOfType, newest, type Position, type RecordKind, recordName } from '../../changelog/versions/version.js'
import { type Actor, isHidden, requireProject } from '../../operations/actor.js'
import type { Call } from '../../operations/call.js'
import { currentVersion } from './current-version.js'
import type { Differ } from './differ.js'
import { entryJson, type ShownChange, shownChange } from './entries.js'
import { itemInHistory, projectInHistory } from './former-places.js'
import { isWithin, type Period, periodOf, sequencesOf } from './period.js'
import type { HistoryEntry, HistoryList } from './schema.js'
import { isArrival, isDeparture, statesOf } from './states.js'
import { type Access, type HistoryRow, listBefore } from './store.js'
import { isVisible, requireRead } from './visible.js'

const rowsPerRead = 200
/** So many changes are looked through for one page. */
const maxRowsRead = 4_000
/** A page also ends where the texts behind it have grown this long. */
const maxPageLength = 2_097_152

/** More items than pass through one key. */
const maxVisitors = 100

interface HistoryFilter extends Period {
  projectId: string | undefined
  keyId: string | undefined
  requestId: string | undefined
}

/** What a list is about: the history of a task goes with it to the project that it is in now, but for private ones. */
type About = 'task' | 'item' | 'all'

const matches = (call: Call, row: HistoryRow, filter: HistoryFilter, about: About): boolean =>
  isWithin(filter, row.created_at) &&
  (filter.projectId === undefined || row.project_id === filter.projectId) &&
  (filter.keyId === undefined || row.key_id === filter.keyId) &&
  (filter.requestId === undefined || row.request_id === filter.requestId) &&
  (about === 'task'
    ? !isHidden(call.actor, row.project_id)
    : isVisible(call.actor, kindOfType(row.type), row.project_id)) &&
  // Where all changes are listed, a move is told once.
  (about !== 'all' || !isDeparture(row))

/** The record that a list is about; its project must be one that the caller may use. */
const requireRecord = async (call: Call, kind: RecordKind, record: string, name: string): Promise<void> => {
  const living = await currentVersion(call, kind, record)
  const [row] = living ? [] : await listBefore(call.db, call.actor.tenantId, { record }, newest, 0, 1)
  if (living === undefined && (!row || kindOfType(row.type) !== kind)) throw notFound(name)
  const projectId = living ? (JSON.parse(living) as { projectId: string | null }).projectId : row!.project_id
  if (projectId) requireProject(call, projectId, () => notFound(name))
}

const recordNamed = async (call: Call, { task, knowledge, projectId }: HistoryList): Promise<string | undefined> => {
  if (task !== undefined && knowledge !== undefined) {
    throw invalid({ path: 'knowledge', message: 'cannot be combined with task' })
  }
  if (task !== undefined) {
    requireRead(call.actor, 'task')
    await requireRecord(call, 'task', recordName.task(task), `task "${task}"`)
    return recordName.task(task)
  }
  if (knowledge === undefined) return undefined
  requireRead(call.actor, 'knowledge')
  const record = await itemInHistory(call, knowledge, projectId)
  await requireRecord(call, 'knowledge', record, `knowledge item "${knowledge}"`)
  return record
}

/** An item that was moved to a private project is gone, for whoever does not see that. */
const withoutHiddenTarget = (actor: Actor, change: ShownChange): ShownChange => {
  if (!isDeparture(change.row) || change.after === null) return change
  const { projectId } = JSON.parse(change.after) as { projectId: string | null }
  return projectId !== null && isHidden(actor, projectId) ? { ...change, after: null } : change
}

const accessOf = (record: string | undefined, { keyId, requestId }: HistoryList): Access => {
  if (record !== undefined) return { record }
  if (requestId !== undefined) return { requestId }
  return keyId === undefined ? 'all' : { keyId }
}

/** Before a creation, and before the items that only passed through the key until then: each is told of where it is. */
const beforeVisitors = async ({ db, actor }: Call, { record, sequence, place }: HistoryRow): Promise<Position> => {
  const { tenantId } = actor
  let at: Position = [sequence, place]
  for (let visitors = 0; visitors < maxVisitors; visitors++) {
    const [left] = await listBefore(db, tenantId, { record }, at, 0, 1)
    if (!left || !isDeparture(left)) break
    const arrival = await arrivalOf(db, tenantId, { record, upTo: [left.sequence, left.place] })
    if (!arrival) break
    at = arrival
  }
  return at
}

/** A page of the history, newest first. */
export const listHistory = async (
  call: Call,
  differ: Differ,
  query: HistoryList,
): Promise<Page<Json<HistoryEntry>>> => {
  const { db, actor } = call
  const { tenantId } = actor
  const { limit = 50, full: isFull = false, cursor } = query
  const period = periodOf(query, call.clock())
  const record = await recordNamed(call, query)
  const projectId =
    query.projectId === undefined || query.knowledge !== undefined
      ? undefined
      : await projectInHistory(call, query.projectId)
  const filter: HistoryFilter = { ...period, projectId, keyId: query.keyId, requestId: query.requestId }
  const fingerprint = listFingerprint([tenantId, 'history', record, filter])
  const { from, end } = await sequencesOf(db, tenantId, period)
  let before: Position = [Math.min(end, newest[0]), 0]
  let access = accessOf(record, query)
  if (cursor !== undefined) {
    const [sequence, place, at] = decodeCursor<[number, number, string]>(cursor, fingerprint, [
      ...(['integer', 'integer', 'text'] as const),
    ])
    before = [sequence, place]
    if (record !== undefined) access = { record: at }
  }
  const about: About = record === undefined ? 'all' : query.task === undefined ? 'item' : 'task'
  const states = statesOf(call)
  const items: Json<HistoryEntry>[] = []
  const position = (): string =>
    encodeCursor(fingerprint, [...before, typeof access === 'object' && 'record' in access ? access.record : ''])
  let length = 0
  let newer: HistoryRow | undefined
  for (let rowsRead = 0; rowsRead < maxRowsRead; ) {
    const rows = await listBefore(db, tenantId, access, before, from, rowsPerRead)
    rowsRead += rowsPerRead
    if (rows.length === 0) return { items, hasMore: false, nextCursor: null }
    for (const row of rows) {
      if (matches(call, row, filter, about)) {
        // The page has more where one that belongs on the next is there.
        if (items.length === limit || length > maxPageLength) return { items, hasMore: true, nextCursor: position() }
        const change = withoutHiddenTarget(actor, await shownChange(states, row, newer))
        items.push(await entryJson(differ, tenantId, change, isFull))
        length += (change.before?.length ?? 0) + (change.after?.length ?? 0)
      }
      before = [row.sequence, row.place]
      if (record === undefined) continue
      newer = row
      const stay = await stayBefore(db, tenantId, row)
      if (stay) {
        access = { record: stay.record }
        const [sequence, place] = stay.upTo
        // A move itself is told already.
        before = isArrival(row) ? stay.upTo : [sequence, place + 1]
        break
      }
      if (row.type === 'knowledge.created') {
        before = await beforeVisitors(call, row)
        break
      }
    }
  }
  return { items, hasMore: true, nextCursor: position() }
}
