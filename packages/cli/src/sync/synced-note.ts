import type { KnowledgeItem } from 'worklore-client'
import { hashOf, type LocalFile } from './files.js'
import { fieldsAfter, fieldsOfItem, fieldsOfText, type ShownFields, sameFields } from './note-fields.js'
import type { SyncedNote } from './state.js'

/** What is remembered of a file and its note once they say the same. */
export const syncedNote = (
  item: KnowledgeItem,
  file: LocalFile,
  prefix: string,
  fields: ShownFields = fieldsOfItem(item, prefix),
): SyncedNote => {
  const contentHash = hashOf(item.content)
  const said = fieldsOfText(item.content)
  return {
    key: item.key,
    version: item.version,
    hash: file.hash,
    ...(contentHash !== file.hash && { contentHash }),
    ...(Object.keys(fields).length > 0 && { fields }),
    ...(!sameFields(said, fields) && { said }),
    ...(file.isSettled && { stat: file.stat }),
  }
}

/** Whether a note has the text and the fields that it had. */
export const isAsBefore = (item: KnowledgeItem, before: SyncedNote, prefix: string): boolean =>
  hashOf(item.content) === (before.contentHash ?? before.hash) &&
  sameFields(fieldsOfItem(item, prefix), before.fields ?? {})

/** The fields that the file showed. One whose front matter could not be edited has the text of the service. */
export const shownBefore = ({ contentHash, fields = {}, said = fields }: SyncedNote): ShownFields => {
  if (contentHash !== undefined) return fields
  const { supersedes: _, ...rest } = said
  // Links that could not be set are sent again.
  return { ...rest, ...(fields.supersedes && { supersedes: fields.supersedes }) }
}

/**
 * What was the same on both sides once a file had arrived that was sent without an answer. Fields may have been set on
 * the service since then; links are set after all notes are there.
 */
export const arrivedNote = (item: KnowledgeItem, before: SyncedNote, prefix: string): SyncedNote => {
  const shown = before.version === 0 ? {} : shownBefore(before)
  const { supersedes: _, ...fields } = fieldsAfter(before.fields ?? {}, shown, fieldsOfText(item.content))
  const { supersedes } = fieldsOfItem(item, prefix)
  const file = { hash: hashOf(item.content), stat: [0, 0, 0] as const, isSettled: false }
  return syncedNote(item, file, prefix, { ...fields, ...(supersedes && { supersedes }) })
}
