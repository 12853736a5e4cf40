import { invalid, notFound } from '../../base/errors.js'
import type { Json } from '../../base/json.js'
import { decodeCursor, encodeCursor, listFingerprint, type Page } from '../../base/paging.js'
import { kindOfType, newest, type Position, recordName } from '../../changelog/versions/version.js'
import { isHidden, requireProject } from '../../operations/actor.js'
import type { Call } from '../../operations/call.js'
import type { Task } from '../../work/tasks/schema.js'
import { currentVersion } from './current-version.js'
import type { Differ } from './differ.js'
import { entryJson, shownChange } from './entries.js'
import { itemInHistory, projectInHistory } from './named.js'
import { isWithin, type Period, periodOf, sequencesOf } from './period.js'
import type { HistoryEntry, HistoryList } from './schema.js'
import { statesOf } from './states.js'
import { type Access, type HistoryRow, listBefore } from './store.js'
import { isVisible, requireRead } from './visible.js'

const rowsPerRead = 200
/** So many changes are looked through for one page. */
const maxRowsRead = 4_000
/** A page also ends where the texts behind it have grown this long. */
const maxPageLength = 2_097_152

interface HistoryFilter extends Period {
  projectId: string | undefined
  keyId: string | undefined
  requestId: string | undefined
}

/** What a list is about: the history of a task goes with it to the project that it is in now, but for private ones. */
type About = 'task' | 'others'

const matches = (call: Call, row: HistoryRow, filter: HistoryFilter, about: About): boolean =>
  isWithin(filter, row.created_at) &&
  (filter.projectId === undefined || row.project_id === filter.projectId) &&
  (filter.keyId === undefined || row.key_id === filter.keyId) &&
  (filter.requestId === undefined || row.request_id === filter.requestId) &&
  (about === 'task'
    ? !isHidden(call.actor, row.project_id)
    : isVisible(call.actor, kindOfType(row.type), row.project_id))

/** Throws unless the task exists or is in the history, in a project that the caller may use. */
const requireTask = async (call: Call, task: string): Promise<void> => {
  const missing = () => notFound('task', task)
  const living = await currentVersion(call, 'task', recordName.task(task))
  const [row] = living
    ? []
    : await listBefore(call.db, call.actor.tenantId, { record: recordName.task(task) }, newest, 0, 1)
  if (living === undefined && (!row || kindOfType(row.type) !== 'task')) throw missing()
  requireProject(call, living ? (JSON.parse(living) as Task).projectId : row!.project_id, missing)
}

const recordNamed = async (call: Call, { task, knowledge, projectId }: HistoryList): Promise<string | undefined> => {
  if (task !== undefined && knowledge !== undefined) {
    throw invalid({ path: 'knowledge', message: 'cannot be combined with task' })
  }
  if (task !== undefined) {
    requireRead(call.actor, 'task')
    await requireTask(call, task)
    return recordName.task(task)
  }
  if (knowledge === undefined) return undefined
  requireRead(call.actor, 'knowledge')
  return recordName.knowledge(await itemInHistory(call, knowledge, projectId))
}

const accessOf = (record: string | undefined, { keyId, requestId }: HistoryList): Access => {
  if (record !== undefined) return { record }
  if (requestId !== undefined) return { requestId }
  return keyId === undefined ? 'all' : { keyId }
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
  if (cursor !== undefined) before = decodeCursor<[number, number]>(cursor, fingerprint, ['integer', 'integer'])
  const access = accessOf(record, query)
  const about: About = query.task === undefined ? 'others' : 'task'
  const states = statesOf(call)
  const items: Json<HistoryEntry>[] = []
  const position = (): string => encodeCursor(fingerprint, before)
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
        const change = await shownChange(states, row, newer)
        items.push(await entryJson(differ, tenantId, change, isFull))
        length += (change.before?.length ?? 0) + (change.after?.length ?? 0)
      }
      before = [row.sequence, row.place]
      if (record !== undefined) newer = row
    }
  }
  return { items, hasMore: true, nextCursor: position() }
}
