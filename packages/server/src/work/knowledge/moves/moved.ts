import type { Actor } from '../../../operations/actor.js'
import type { Call } from '../../../operations/call.js'
import { currentProject, projectIdOfKey } from '../../../tenancy/projects/service.js'
import { findItem } from '../store.js'
import { type FormerAddress, findMove, findPlacesMovedFrom, listFormerKeys } from './store.js'

/** Where an item is; the project is empty where it is tenant-wide. */
export interface ItemAddress {
  projectId: string
  key: string
}

/** A longer trail of moves is not followed. */
const maxMoves = 20
const maxFormerKeys = 200

const formerOf = async (call: Call, { projectId, key }: ItemAddress): Promise<FormerAddress> => ({
  projectKey: projectId === '' ? '' : ((await currentProject(call, projectId))?.key ?? ''),
  key,
})

const follow = async (call: Call, from: FormerAddress): Promise<ItemAddress | undefined> => {
  const { db, actor } = call
  let address: FormerAddress | undefined = from
  for (let moves = 0; moves < maxMoves; moves++) {
    address = await findMove(db, actor.tenantId, address)
    const projectId = address?.projectKey === '' ? '' : address && (await projectIdOfKey(call, address.projectKey))
    if (!address || projectId === undefined) return undefined
    if (await findItem(db, actor.tenantId, projectId, address.key)) return { projectId, key: address.key }
  }
  return undefined
}

/**
 * Where the item is now that was moved away from a key of a place; without a place, of the only one that it was moved away
 * from. Undefined where there is none.
 */
export const movedTo = async (
  call: Call,
  key: string,
  projectId: string | undefined,
  isReadable: (actor: Actor, projectId: string) => boolean,
): Promise<ItemAddress | undefined> => {
  const places =
    projectId === undefined
      ? await findPlacesMovedFrom(call.db, call.actor.tenantId, key, 2)
      : [await formerOf(call, { projectId, key })]
  const found = places.length === 1 ? await follow(call, places[0]!) : undefined
  return found && isReadable(call.actor, found.projectId) ? found : undefined
}

/** The keys from which an item was moved to where it is. */
export const formerKeysOf = async (call: Call, item: ItemAddress): Promise<string[]> =>
  listFormerKeys(call.db, call.actor.tenantId, await formerOf(call, item), maxMoves, maxFormerKeys)
