import { isoTime } from '../../base/clock.js'
import { AppError } from '../../base/errors.js'
import { type Page, pagedList } from '../../base/paging.js'
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
export const listBasis = async (call: Call, query: BasisList): Promise<Page<BasisEntry>> => {
  const { db, actor, clock } = call
  const { taskId } = query
  await getTask(call, taskId)
  if (!holdsScope(actor, 'knowledge:read')) return noneReadable
  const page = await pagedList(query, {
    list: [actor.tenantId, 'basis', taskId, actor.projectIds],
    kinds: ['integer', 'text', 'integer'],
    read: (before, count) => store.listBasis(db, actor.tenantId, taskId, actor, before, { count, nowMs: clock() }),
    placeOf: ({ read_at, item_id, version }) => [read_at, item_id, version],
  })
  const deleted = await lastAddresses(
    call,
    page.items.filter(({ item }) => item === null).map(({ item_id }) => item_id),
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
  const { key, projectId: projectRef } = query
  const { db, actor } = call
  checkKey(key)
  const itemId = await itemNamed(call, key, projectRef)
  const readers = { projectIds: actor.projectIds, hasTasks: holdsScope(actor, 'tasks:read') }
  const page = await pagedList(query, {
    list: [actor.tenantId, 'dependents', itemId, readers],
    kinds: ['integer', 'text'],
    read: (after = [-1, ''], count) => store.listDependents(db, actor.tenantId, itemId, readers, after, count),
    placeOf: ({ kind, id }) => [kind, id],
  })
  return {
    ...page,
    items: page.items.map(({ id, key, project_id, version, at }) => ({
      ...(key === null ? { task: id } : { key }),
      ...{ projectId: project_id || null, version, at: isoTime(at) },
    })),
  }
}
