import { AppError } from '../base/errors.js'
import type { Call } from '../operations/call.js'
import { getProject, listProjects } from '../tenancy/projects/service.js'
import { word } from './text/text.js'

/** Keys are short: so many of them fit into an answer. */
const maxNamed = 400

/** The keys of the projects that a caller may use. */
export const ownProjectKeys = async (call: Call): Promise<string[]> =>
  (await listProjects(call, { limit: maxNamed })).items.map(({ key }) => key)

export const projectKeys = async (call: Call, ids: readonly string[]): Promise<string[]> => {
  const keys: string[] = []
  for (const id of ids.slice(0, maxNamed)) keys.push(await projectKey(call, id))
  return keys
}

export const projectKey = async (call: Call, id: string): Promise<string> => {
  try {
    return (await getProject(call, id)).key
  } catch (error) {
    if (error instanceof AppError) return word(id)
    throw error
  }
}

/** Looks up the keys of projects, each of them once. */
export const createProjectNames = (call: Call): ((id: string) => Promise<string>) => {
  const known = new Map<string, string>()
  return async (id) => {
    const key = known.get(id) ?? (await projectKey(call, id))
    known.set(id, key)
    return key
  }
}
