import { AppError, notFound } from '../../base/errors.js'
import { recordName } from '../../changelog/versions/version.js'
import { requireProject } from '../../operations/actor.js'
import type { Call } from '../../operations/call.js'
import { projectNamed } from '../../tenancy/projects/service.js'
import { formerHolders, lastHolders } from '../../work/knowledge/moves/moved.js'
import { choosePlace, resolvePlace } from '../../work/knowledge/place.js'
import { reliedItems } from '../../work/knowledge/relied/relied.js'
import { itemIdAt } from '../../work/knowledge/service.js'
import { findRecorded } from './store.js'

/** Whether a project is deleted and still in the history. */
const isDeletedProject = async ({ db, actor }: Call, id: string): Promise<boolean> =>
  id.startsWith('prj_') && (await findRecorded(db, actor.tenantId, [recordName.project(id)])).size > 0

/**
 * Returns the ID of the project with this ID or key. A deleted project is found only by its ID, while its history is
 * kept.
 */
export const projectInHistory = async (call: Call, ref: string): Promise<string> => {
  try {
    return (await projectNamed(call, ref)).id
  } catch (error) {
    const isUnknown = error instanceof AppError && error.code === 'VALIDATION_ERROR'
    if (!isUnknown || !(await isDeletedProject(call, ref))) throw error
    requireProject(call, ref, () => error)
    return ref
  }
}

const itemId = /^kno_[0-9A-Za-z]{20}$/

const isRecorded = async ({ db, actor }: Call, record: string): Promise<boolean> =>
  (await findRecorded(db, actor.tenantId, [record])).size > 0

const missing = (name: string): AppError => notFound('knowledge item', name)

/** Throws unless the caller may use the project that an item is in, or was in when it was deleted. */
const requireItem = async (call: Call, id: string): Promise<void> => {
  const [item] = await reliedItems(call, [id])
  if (!item) throw missing(id)
  if (item.projectId) requireProject(call, item.projectId, () => missing(id))
}

/** Returns the item that has a key or, if no item has it, that had it last. */
const itemWithKey = async (call: Call, key: string, projectRef: string | undefined): Promise<string | undefined> => {
  if (projectRef !== undefined) {
    const projectId = await projectInHistory(call, projectRef)
    return (await itemIdAt(call, projectId, key)) ?? (await lastHolders(call, key, projectId))[0]?.item_id
  }
  try {
    return await itemIdAt(call, await resolvePlace(call, key, undefined), key)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'NOT_FOUND') throw error
    const { db, actor } = call
    const holders = await formerHolders(call, key)
    const known = await findRecorded(
      db,
      actor.tenantId,
      holders.map(({ item_id }) => item_id),
    )
    const found = new Map(
      holders.flatMap(({ project_id, item_id }) => (known.has(item_id) ? [[project_id, item_id] as const] : [])),
    )
    return found.get(choosePlace(call, key, [...found.keys()].sort()))
  }
}

/**
 * Returns the id of the item with this id or key. The project of a key must be one that the caller may use. What the caller
 * may see of the item's history depends on the project of each change.
 */
export const itemInHistory = async (call: Call, name: string, projectRef: string | undefined): Promise<string> => {
  if (itemId.test(name) && (await isRecorded(call, recordName.knowledge(name)))) {
    await requireItem(call, name)
    return name
  }
  const id = await itemWithKey(call, name, projectRef)
  if (id === undefined || !(await isRecorded(call, recordName.knowledge(id)))) throw missing(name)
  return id
}
