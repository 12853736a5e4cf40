import { AppError } from '../base/errors.js'
import type { OperationCall } from '../operations/operation.js'
import { getProject, listProjects } from '../tenancy/projects/operations.js'
import { run } from './run.js'
import { word } from './text/text.js'

/** Keys are short: so many of them fit into an answer. */
const maxNamed = 400

/** The keys of the projects that a caller may use. */
export const ownProjectKeys = async (call: OperationCall): Promise<string[]> =>
  (await run(call, listProjects, { limit: maxNamed })).data.map(({ key }) => key)

export const projectKeys = async (call: OperationCall, ids: readonly string[]): Promise<string[]> => {
  const keys: string[] = []
  for (const id of ids.slice(0, maxNamed)) keys.push(await projectKey(call, id))
  return keys
}

export const projectKey = async (call: OperationCall, id: string): Promise<string> => {
  try {
    return (await run(call, getProject, { projectId: id })).data.key
  } catch (error) {
    if (error instanceof AppError) return word(id)
    throw error
  }
}

/** Looks up the keys of projects, each of them once. */
export const createProjectNames = (call: OperationCall): ((id: string) => Promise<string>) => {
  const known = new Map<string, string>()
  return async (id) => {
    const key = known.get(id) ?? (await projectKey(call, id))
    known.set(id, key)
    return key
  }
}
