import { isoTime } from '../../base/clock.js'
import { AppError } from '../../base/errors.js'
import { decodeCursor, encodeCursor, listFingerprint, type Page, pageOf } from '../../base/paging.js'
import { lastAddresses } from '../../changelog/versions/find.js'
import { holdsScope } from '../../operations/actor.js'
import type { Call } from '../../operations/call.js'
import { checkKey } from '../knowledge/key.js'
import { lastHolders } from '../knowledge/moves/moved.js'
import { isReadable, resolvePlace } from '../knowledge/place.js'
import { reliedItems } from '../knowledge/relied/relied.js'
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
  const page = pageOf(rows, limit, (last) => encodeCursor(fingerprint, [last.read_at, last.item_id, last.version]))
  const isDeleted = ({ item }: (typeof rows)[number]): boolean => item === null
  const deleted = await lastAddresses(
    call,
    page.items.filter(isDeleted).map(({ item_id }) => item_id),
  )
  return {
    ...page,
    items: page.items.flatMap(({ item_id, item, version, read_at }) => {
      const address = item ? { key: item.key, projectId: item.project_id } : deleted.get(item_id)
      if (!address || !isReadable(actor, address.projectId)) return []
      const state = (item?.state ?? 'deleted') as BasisEntry['state']
      return [{ key: address.key, projectId: address.projectId || null, version, at: isoTime(read_at), state }]
    }),
  }
}

/**
 * Returns the item that a key refers to: the item with the key or, if there is none, the deleted item that had it last.
 */
const itemNamed = async (call: Call, key: string, projectRef: string | undefined): Promise<string> => {
  try {
    return (await getItem({ ...call, basis: undefined }, key, projectRef)).id
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'NOT_FOUND') throw error
    const place = projectRef === undefined ? '' : await resolvePlace(call, key, projectRef)
    const [holder] = await lastHolders(call, key, place)
    const [item] = holder ? await reliedItems(call, [holder.item_id]) : []
    if (item?.why !== 'deleted' || item.projectId !== place) throw error
    return item.id
  }
}

/** Who relied on an item, as far as the caller may read them. */
export const listDependents = async (call: Call, query: DependentList): Promise<Page<Dependent>> => {
  const { key, projectId: projectRef, limit = 50, cursor } = query
  const { db, actor } = call
  checkKey(key)
  const itemId = await itemNamed(call, key, projectRef)
  const readers = { projectIds: actor.projectIds, hasTasks: holdsScope(actor, 'tasks:read') }
  const fingerprint = listFingerprint([actor.tenantId, 'dependents', itemId, readers])
  const after: [number, string] =
    cursor === undefined ? [-1, ''] : decodeCursor(cursor, fingerprint, ['integer', 'text'])
  const rows = await store.listDependents(db, actor.tenantId, itemId, readers, after, limit + 1)
  const page = pageOf([...rows], limit, (last) => encodeCursor(fingerprint, [last.kind, last.id]))
  return {
    ...page,
    items: page.items.map(({ id, key, project_id, version, at }) => ({
      ...(key === null ? { task: id } : { key }),
      ...{ projectId: project_id || null, version, at: isoTime(at) },
    })),
  }
}
