import { type ApiError, ForbiddenError, type KnowledgeItem, ValidationError } from 'worklore-client'
import type { BulkUnit } from 'worklore-client/bulk'
import { knowledgePathOf } from '../transfer/import-notes.js'
import { wordsOf } from '../wording.js'
import { changedFields, type ShownFields } from './note-fields.js'
import type { Pass } from './pass.js'
import { conditionOf, isOutdated } from './remote.js'
import { syncedNote } from './synced-note.js'

/** Why links were not set, in words that name no option of the command line. */
export const notLinked = (error: ApiError): string => {
  const reason =
    error instanceof ValidationError ? error.details.map(({ message }) => message).join('; ') : wordsOf(error)
  return `supersedes was not set: ${reason}`
}

/** Sets links of notes known before to notes that have appeared since. */
export const sendLateLinks = async (pass: Pass, known: ReadonlySet<string>): Promise<void> => {
  const { state, there, report } = pass
  const { prefix, projectId } = state.target
  const keys = [...there.notes.keys(), ...[...state.notes.values()].map(({ key }) => key)]
  const appeared = new Set(keys.filter((key) => !known.has(key)))
  if (appeared.size === 0) return
  const units: BulkUnit[] = []
  for (const [path, note] of state.notes) {
    const said: ShownFields = note.said?.supersedes ? { supersedes: note.said.supersedes } : {}
    const set: ShownFields = note.fields?.supersedes ? { supersedes: note.fields.supersedes } : {}
    const { supersedes } = changedFields(set, said, prefix)
    if (!said.supersedes || !known.has(note.key) || !supersedes?.some((key) => appeared.has(key))) continue
    units.push({
      operations: [
        {
          method: 'PATCH',
          path: `${knowledgePathOf(note.key)}${projectId === null ? '' : `?projectId=${projectId}`}`,
          body: { supersedes },
          headers: conditionOf(note.version),
        },
      ],
      onDone: ([result]) => {
        const item = (result!.body as { data: KnowledgeItem }).data
        const { hash, stat = [0, 0, 0] } = note
        pass.remember(path, syncedNote(item, { hash, stat, isSettled: note.stat !== undefined }, prefix))
        report({ action: 'uploaded', path, side: 'service' })
      },
      onRefusal: (error) => {
        if (isOutdated(error)) pass.leaveOpen()
        else report({ action: 'note', path, about: notLinked(error) })
        return undefined
      },
    })
  }
  try {
    await pass.send('linking', units, units.length)
  } catch (error) {
    // A key that may not write reads all the same.
    if (!(error instanceof ForbiddenError)) throw error
  }
}
