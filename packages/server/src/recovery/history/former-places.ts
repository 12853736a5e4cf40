import { AppError } from '../../base/errors.js'
import { recordName } from '../../changelog/versions/version.js'
import { requireProject } from '../../operations/actor.js'
import type { Call } from '../../operations/call.js'
import { projectNamed } from '../../tenancy/projects/service.js'
import { choosePlace, hiddenPlacesOf, resolvePlace } from '../../work/knowledge/place.js'
import { findFormerPlaces, findRecorded } from './store.js'

/** Projects that are looked at for a key that nothing has; an error names as many. */
const maxPlaces = 101

/** A deleted project that is still in the history. */
const isDeletedProject = async ({ db, actor }: Call, id: string): Promise<boolean> =>
  id.startsWith('prj_') && (await findRecorded(db, actor.tenantId, [recordName.project(id)])).size > 0

/** A project by its id or key; a deleted one, as long as its history is kept, by its id. */
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

/** Where items with the key were deleted, or else moved away from; the tenant-wide place first. */
const formerPlaces = async (call: Call, key: string): Promise<string[]> => {
  const found = await findFormerPlaces(call.db, call.actor.tenantId, key, maxPlaces)
  const placesOf = (wanted: string) => found.flatMap(({ type, project_id }) => (type === wanted ? [project_id] : []))
  const deleted = [...new Set([...placesOf('knowledge.deleted'), ...(await hiddenPlacesOf(call, key))])].sort()
  return deleted.length > 0 ? deleted : placesOf('knowledge.moved')
}

/** Where an item is, or was if nothing has its key now; chosen among several places as for a read. */
export const itemInHistory = async (call: Call, key: string, projectRef: string | undefined): Promise<string> => {
  if (projectRef !== undefined) return recordName.knowledge(await projectInHistory(call, projectRef), key)
  try {
    return recordName.knowledge(await resolvePlace(call, key, undefined), key)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'NOT_FOUND') throw error
    return recordName.knowledge(choosePlace(call, key, await formerPlaces(call, key)), key)
  }
}
