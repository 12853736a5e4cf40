import { ConflictError, ForbiddenError, type KnowledgeItem, NotFoundError, type Worklore } from 'worklore-client'
import { usageError } from '#command-line'

export const positionKey = (repo: string): string => `.github/${repo.toLowerCase()}`

interface FoundPosition {
  item?: KnowledgeItem
  /** Other projects that have a position of the same repository; the empty id is the tenant. */
  others: string[]
}

/** Finds the position of a repository in a project, and in all others that the key may know of. */
export const findPosition = async (wl: Worklore, projectId: string, repo: string): Promise<FoundPosition> => {
  try {
    const item = await wl.knowledge.get(positionKey(repo))
    return item.projectId === projectId ? { item, others: [] } : { others: [item.projectId ?? ''] }
  } catch (error) {
    if (error instanceof NotFoundError) return { others: [] }
    if (error instanceof ConflictError && Array.isArray(error.candidates))
      return { others: error.candidates.filter((id) => id !== projectId) }
    if (error instanceof ForbiddenError && error.fields.requiredProject)
      return { others: [String(error.fields.requiredProject)] }
    throw error
  }
}

/** Tasks are looked up in the whole tenant: a second project would write to those of the first. */
export const refuseSecondProject = async (wl: Worklore, repo: string, [first]: readonly string[]): Promise<never> => {
  // A key that is limited to other projects gets no more than the id.
  const { key } = first ? await wl.projects.get(first).catch(() => ({ key: first })) : { key: undefined }
  const place = key ? `project ${key}` : 'the whole tenant'
  throw usageError(
    `${repo} is already synced with ${place}; a repository can be synced with one project only. To use another one, delete the knowledge item ${positionKey(repo)} of ${place}.`,
  )
}
