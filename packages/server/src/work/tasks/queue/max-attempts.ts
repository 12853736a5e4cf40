import type { Call } from '../../../operations/call.js'
import { maxAttemptsOf } from '../../../tenancy/projects/service.js'

/** How often tasks of a project are handed out, read once for each project. */
export const createMaxAttempts = (call: Call): ((projectId: string) => Promise<number>) => {
  const known = new Map<string, number>()
  return async (projectId) => {
    const found = known.get(projectId) ?? (await maxAttemptsOf(call, projectId))
    known.set(projectId, found)
    return found
  }
}
