import { isoTime } from '../../base/clock.js'
import { AppError } from '../../base/errors.js'
import { decodeCursor, encodeCursor, listFingerprint, type Page, pageOf } from '../../base/paging.js'
import { holdsScope } from '../../operations/actor.js'
import type { Call } from '../../operations/call.js'
import { checkKey } from '../knowledge/key.js'
import { resolvePlace } from '../knowledge/place.js'
import { reliedItemAt } from '../knowledge/relied/relied.js'
import { getItem } from '../knowledge/service.js'
import { getTask } from '../tasks/service.js'
import type { BasisEntry, BasisList, Dependent, DependentList } from './schema.js'
import * as store from './store.js'

const noneReadable = { items: [], hasMore: false, nextCursor: null }

/** What a task relied on, as far as the caller may read it, the newest reads first. */
export const listBasis = async (call: Call, { taskId, limit = 50, cursor }: BasisList): Promise<Page<BasisEntry>> => {
  const { db, actor, clock } = call
  await getTask(call, taskId)
  if (!holdsScope(actor, 'knowledge:read')) return noneReadable
  const fingerprint = listFingerprint([actor.tenantId, 'basis', taskId, actor.projectIds])
  const before =
    cursor === undefined
      ? undefined
      : decodeCursor<[number, string, number]>(cursor, fingerprint, ['integer', 'text', 'integer'])
  const range = { count: limit + 1, nowMs: clock() }
  const rows = await store.listBasis(db, actor.tenantId, taskId, actor, before, range)
  const page = pageOf([...rows], limit, (last) => encodeCursor(fingerprint, [last.read_at, last.item_id, last.version]))
  return {
    ...page,
    items: page.items.map(({ key, project_id, version, read_at, state }) => ({
      ...{ key, projectId: project_id || null, version, at: isoTime(read_at) },
      state: state as BasisEntry['state'],
    })),
  }
}

/** Where an item is; one that was deleted is where it was, in the named project or tenant-wide. */
const placeOfItem = async (call: Call, key: string, projectRef: string | undefined): Promise<string> => {
  try {
    return await resolvePlace(call, key, projectRef)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'NOT_FOUND' || projectRef !== undefined) throw error
    if (await reliedItemAt(call, '', key)) return ''
    throw error
  }
}

/** Who relied on an item, as far as the caller may read them. */
export const listDependents = async (call: Call, query: DependentList): Promise<Page<Dependent>> => {
  const { key, projectId: projectRef, limit = 50, cursor } = query
  const { db, actor } = call
  checkKey(key)
  const place = await placeOfItem(call, key, projectRef)
  const readers = { projectIds: actor.projectIds, hasTasks: holdsScope(actor, 'tasks:read') }
  const fingerprint = listFingerprint([actor.tenantId, 'dependents', place, key, readers])
  const after: [number, string] =
    cursor === undefined ? [-1, ''] : decodeCursor(cursor, fingerprint, ['integer', 'text'])
  const item = await reliedItemAt(call, place, key)
  if (!item) {
    await getItem({ ...call, basis: undefined }, key, place || undefined)
    return noneReadable
  }
  const rows = await store.listDependents(db, actor.tenantId, item.id, readers, after, limit + 1)
  const page = pageOf([...rows], limit, (last) => encodeCursor(fingerprint, [last.kind, last.id]))
  return {
    ...page,
    items: page.items.map(({ id, key, project_id, version, at }) => ({
      ...(key === null ? { task: id } : { key }),
      ...{ projectId: project_id || null, version, at: isoTime(at) },
    })),
  }
}
