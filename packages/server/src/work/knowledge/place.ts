import { AppError, notFound } from '../../base/errors.js'
import { isListed } from '../../base/project-set.js'
import { type Actor, isHidden, mayUseProject, requireProject } from '../../operations/actor.js'
import type { Call } from '../../operations/call.js'
import { projectNamed } from '../../tenancy/projects/service.js'
import { movedTo } from './moves/moved.js'
import * as store from './store.js'

/** Where an item lives: its project's id and key, both empty for the tenant as a whole. */
export interface Place {
  id: store.ProjectScope
  key: string
}

export const tenantWide: Place = { id: '', key: '' }

/** A place by its project; null is the tenant as a whole. */
export const placeNamed = async (call: Call, ref: string | null, path = 'projectId'): Promise<Place> =>
  ref === null ? tenantWide : projectNamed(call, ref, path)

export const requireWritablePlace = (call: Call, place: Pick<Place, 'id'>): void => {
  if (place.id !== '') requireProject(call, place.id, () => notFound('project', place.id))
  if (place.id !== '' || !isListed(call.actor.projectIds)) return
  throw new AppError(
    'tenant_wide',
    'This key or its user is limited to projects and cannot write tenant-wide knowledge.',
  )
}

/** As many projects as an error names. */
const maxCandidates = 100

/** The place of a key when the caller names no project: the tenant as a whole, or else the only project that has it. */
export const preferredPlace = (key: string, places: readonly store.ProjectScope[]): store.ProjectScope | undefined => {
  if (places[0] === '' || places.length <= 1) return places[0]
  throw new AppError('ambiguous', `Several projects have "${key}".`, {
    candidates: places.slice(0, maxCandidates),
  })
}

export const isReadable = (actor: Actor, place: store.ProjectScope): boolean =>
  place === '' || mayUseProject(actor, place)

/** Of the places that a key has, in their order, the one that the actor means who names none. */
export const choosePlace = (call: Call, key: string, all: readonly store.ProjectScope[]): store.ProjectScope => {
  const place = preferredPlace(
    key,
    all.filter((id) => isReadable(call.actor, id)),
  )
  if (place !== undefined) return place
  const unreadable = all.find((id) => !isHidden(call.actor, id))
  if (unreadable !== undefined) requireProject(call, unreadable, () => missingItem(key))
  throw missingItem(key)
}

const placeOfKey = async (call: Call, key: string): Promise<store.ProjectScope> => {
  const places = await store.placesOfKey(call.db, call.actor.tenantId, key)
  if (places.every((id) => isHidden(call.actor, id))) throw await itemNotFound(call, key, undefined)
  return choosePlace(call, key, places)
}

/**
 * Returns the project of an item. A `projectRef` of null names the tenant; undefined selects the item that a GET
 * without `projectId` returns.
 */
export const resolvePlace = async (
  call: Call,
  key: string,
  projectRef: string | null | undefined,
): Promise<store.ProjectScope> =>
  projectRef === undefined ? placeOfKey(call, key) : (await placeNamed(call, projectRef)).id

const missingItem = (key: string): AppError => notFound('knowledge item', key)

/** Returns the error for a missing item. It says where the item was moved, or which other places have the key. */
export const itemNotFound = async (
  call: Call,
  key: string,
  projectRef: string | null | undefined,
): Promise<AppError> => {
  const projectId = projectRef === undefined ? undefined : (await placeNamed(call, projectRef)).id
  const moved = await movedTo(call, key, projectId, isReadable)
  if (moved) {
    const where = moved.projectId === projectId || moved.projectId === '' ? '' : ` of project ${moved.projectId}`
    return new AppError('moved', `Knowledge item "${key}" was moved to "${moved.key}"${where}.`, {
      movedTo: { key: moved.key, projectId: moved.projectId || null },
    })
  }
  if (projectRef === undefined) return missingItem(key)
  const all = await store.placesOfKey(call.db, call.actor.tenantId, key)
  const places = all.filter((id) => isReadable(call.actor, id))
  if (places.length === 0) return missingItem(key)
  const missing =
    projectRef === null
      ? `Knowledge item "${key}" is not tenant-wide.`
      : `Knowledge item "${key}" not found in project "${projectRef}".`
  return places[0] === ''
    ? new AppError('elsewhere', `${missing} It is tenant-wide.`, { id: key })
    : new AppError('elsewhere', `${missing} Other projects have it.`, { candidates: places.slice(0, maxCandidates) })
}

/** Returns an existing item in a place that the caller may write to. */
export const itemToChange = async (
  call: Call,
  key: string,
  projectRef: string | null | undefined,
): Promise<{ place: Place; item: store.StoredItem }> => {
  const place = await placeNamed(call, (await resolvePlace(call, key, projectRef)) || null)
  requireWritablePlace(call, place)
  const item = await store.findItem(call.db, call.actor.tenantId, place.id, key)
  if (!item) throw await itemNotFound(call, key, projectRef)
  return { place, item }
}
