import { type KnowledgeItem, NotFoundError, type WorkView } from 'worklore-client'
import { type Answer, type Cli, oneAnswer } from './command.js'
import { usageError } from './exit-codes.js'
import { flag, text } from './option.js'

export const scopeOptions = {
  project: text('PROJECT', 'The note of that project', 'p'),
  tenant: flag('The note of the whole tenant, even if a project is set'),
}

/** The project whose notes are meant; undefined where none is. */
export const projectOf = (cli: Cli, isTenant: boolean | undefined): string | undefined => {
  const { project, isProjectExplicit } = cli.settings
  if (isTenant && isProjectExplicit && project !== undefined)
    throw usageError('--tenant cannot be combined with --project.')
  return isTenant ? undefined : project
}

/** The same for a write, where null is the whole tenant; undefined leaves it to where the note is. */
export const targetOf = (cli: Cli, isTenant: boolean | undefined): string | null | undefined =>
  projectOf(cli, isTenant) ?? (isTenant ? null : undefined)

/** The service under the claim of this folder: its task relies on notes that are read, and wrote those that are written. */
export const viewForNotes = (cli: Cli, named: string | undefined): WorkView => {
  const [claim, ...others] = cli.claims.live()
  const token = named ?? (others.length === 0 ? claim?.token : undefined)
  return token === undefined ? cli.client() : cli.client().fenced(token)
}

/** The project's note, or where the project was not named for this very command also the tenant's. */
export const findNote = async (
  cli: Cli,
  wl: WorkView,
  key: string,
  isTenant: boolean | undefined,
): Promise<KnowledgeItem> => {
  const projectId = projectOf(cli, isTenant)
  try {
    return await wl.knowledge.get(key, { projectId })
  } catch (error) {
    const mayFallBack = error instanceof NotFoundError && projectId !== undefined && !cli.settings.isProjectExplicit
    if (!mayFallBack) throw error
    return wl.knowledge.get(key)
  }
}

/** The same, also under the key that it was moved to. */
export const followNote: typeof findNote = async (cli, wl, key, isTenant) => {
  try {
    return await findNote(cli, wl, key, isTenant)
  } catch (error) {
    const moved = error instanceof NotFoundError ? error.movedTo : undefined
    if (!moved) throw error
    return wl.knowledge.get(moved.key, { projectId: moved.projectId ?? undefined })
  }
}

/** A note that was written, without its content. */
export const writtenNote = (item: KnowledgeItem): Answer =>
  oneAnswer(item, item.key, `Wrote ${item.key} (version ${item.version})`, `${item.key}\t${item.version}`)
