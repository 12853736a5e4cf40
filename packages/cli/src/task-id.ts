import type { WorkView } from 'worklore-client'
import type { Cli } from './command.js'
import { usageError } from './exit-codes.js'

/** Task ids are in capitals; to type them in small letters is quicker. */
export const asTaskId = (word: string): string => (/^[a-z][a-z0-9]{1,9}-\d+$/.test(word) ? word.toUpperCase() : word)

/** Whether a word is a task's id; what is not may be the key of a note. */
export const isTaskId = (word: string): boolean => /^[A-Z][A-Z0-9]{1,9}-\d+$/.test(asTaskId(word))

/** The task that is named, or the one claimed in this folder. */
export const taskIdOf = (cli: Cli, word: string | undefined): string => {
  if (word !== undefined) return asTaskId(word)
  const claim = cli.claims.only()
  if (!claim) throw usageError('Name a task: none is claimed in this folder.')
  return claim.taskId
}

/** The claim to act under: the one named, or the one that was remembered for the task. */
export const tokenOf = (cli: Cli, taskId: string, named: string | undefined): string | undefined =>
  named ?? cli.claims.of(taskId)?.token

/** Returns the claim token for renewing or releasing a task. Throws if the named token belongs to another task. */
export const ownTokenOf = (cli: Cli, taskId: string, named: string | undefined): string | undefined => {
  if (named !== undefined && !named.startsWith(`${taskId}.`)) {
    throw usageError(`--claim-token ${named} is not a claim on ${taskId}.`)
  }
  return tokenOf(cli, taskId, named)
}

/** The service, where writes happen only under the claim on that task, if there is one. */
export const viewFor = (cli: Cli, taskId: string, named?: string | undefined): WorkView => {
  const token = tokenOf(cli, taskId, named)
  const client = cli.client()
  return token === undefined ? client : client.fenced(token)
}
