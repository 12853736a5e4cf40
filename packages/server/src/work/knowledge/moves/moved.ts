import type { Awaitable } from '../../../base/awaitable.js'
import type { Actor } from '../../../operations/actor.js'
import type { Call } from '../../../operations/call.js'
import * as store from '../store.js'

/** Where an item is. The project is empty for a tenant-wide item. */
export interface ItemAddress {
  id: string
  projectId: string
  key: string
}

/** Limits how many places are searched for a key that no item has; an error names as many. */
const maxPlaces = 101

/**
 * Returns the items that last left a key in a place. Without a place, returns those of every place, tenant-wide first.
 */
export const lastHolders = (
  { db, actor }: Call,
  key: string,
  projectId?: store.ProjectScope,
): Awaitable<store.Holder[]> => store.findLastHolders(db, actor.tenantId, key, projectId, maxPlaces)

/** Returns the current addresses of the items that still exist. */
const addressesOf = async ({ db, actor }: Call, holders: readonly store.Holder[]): Promise<ItemAddress[]> => {
  const found = await store.findAddresses(
    db,
    actor.tenantId,
    holders.map(({ item_id }) => item_id),
  )
  return found.map(({ id, project_id, key }) => ({ id, projectId: project_id, key }))
}

/**
 * Returns the current address of the item that moved away from a key of a place, if the actor may read it. Without a
 * place, it must be the only item that moved away from the key.
 */
export const movedTo = async (
  call: Call,
  key: string,
  projectId: store.ProjectScope | undefined,
  isReadable: (actor: Actor, projectId: string) => boolean,
): Promise<ItemAddress | undefined> => {
  const [item, ...others] = await addressesOf(call, await lastHolders(call, key, projectId))
  return item && others.length === 0 && isReadable(call.actor, item.projectId) ? item : undefined
}

/** Returns the last items to have a key that no item has: the deleted ones or, if there are none, the moved ones. */
export const formerHolders = async (call: Call, key: string): Promise<store.Holder[]> => {
  const { db, actor } = call
  const left = await lastHolders(call, key)
  const living = new Set((await addressesOf(call, left)).map(({ id }) => id))
  const deleted = [
    ...left.filter(({ item_id }) => !living.has(item_id)),
    ...(await store.findHiddenHolders(db, actor.tenantId, key)),
  ]
  return deleted.length > 0 ? deleted : left
}
