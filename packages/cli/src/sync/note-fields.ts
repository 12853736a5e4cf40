import type { KnowledgeItem } from 'worklore-client'
import { editFrontMatter, type FieldEdit } from '../transfer/front-matter.js'
import { ownFields } from '../transfer/note-front-matter.js'
import type { NoteFields } from '../transfer/records.js'

/** The fields of a note that its file shows in its front matter. What is not set is left out. */
export interface ShownFields {
  title?: string
  tags?: string[]
  aliases?: string[]
  source?: string
  validUntil?: string
  /** Paths in the folder; a key outside of it begins with a slash. */
  supersedes?: string[]
}

type Name = keyof ShownFields

/** What the service accepts as the text of a note. */
export const maxNoteBytes = 1_048_576

const names: readonly Name[] = ['title', 'tags', 'aliases', 'source', 'validUntil', 'supersedes']

const spellings: Partial<Record<Name, readonly string[]>> = { tags: ['tags', 'tag'], aliases: ['aliases', 'alias'] }

const isSet = (value: unknown): boolean => value !== undefined && value !== null && String(value) !== ''

const onlySet = (fields: Partial<Record<Name, unknown>>): ShownFields =>
  Object.fromEntries(names.filter((name) => isSet(fields[name])).map((name) => [name, fields[name]]))

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

const textsOf = (value: unknown): string[] | undefined =>
  Array.isArray(value) && value.every((each) => typeof each === 'string') ? value : undefined

export const sameFields = (a: ShownFields, b: ShownFields): boolean => names.every((name) => isSame(a[name], b[name]))

/** What the front matter of a text says. */
export const fieldsOfText = (text: string): ShownFields => {
  const { metadata, ...fields } = ownFields(text)
  return onlySet({ ...fields, aliases: metadata?.aliases })
}

/** What is set on the service. */
export const fieldsOfItem = (item: Omit<KnowledgeItem, 'content'>, prefix: string): ShownFields =>
  onlySet({
    ...item,
    aliases: textsOf(item.metadata.aliases),
    supersedes: item.supersedes.map((key) => (key.startsWith(prefix) ? key.slice(prefix.length) : `/${key}`)),
  })

/** What a write has to say so that the service has the fields of a text; null clears one. */
export const changedFields = (from: ShownFields, to: ShownFields, prefix: string): NoteFields => {
  const isChanged = (name: Name): boolean => !isSame(from[name], to[name])
  const keys = to.supersedes?.map((path) => (path.startsWith('/') ? path.slice(1) : prefix + path))
  return {
    ...(isChanged('title') && { title: to.title ?? null }),
    ...(isChanged('tags') && { tags: to.tags ?? [] }),
    ...(isChanged('source') && { source: to.source ?? null }),
    ...(isChanged('validUntil') && { validUntil: to.validUntil ?? null }),
    ...(isChanged('supersedes') && { supersedes: keys ?? [] }),
    ...(isChanged('aliases') && { metadata: { aliases: to.aliases ?? null } }),
  }
}

/** The fields of a note after a write of what a text says now and did not say before. */
export const fieldsAfter = (fields: ShownFields, before: ShownFields, now: ShownFields): ShownFields =>
  onlySet(Object.fromEntries(names.map((name) => [name, isSame(before[name], now[name]) ? fields[name] : now[name]])))

/** What was set on the service at the last sync, and what the text there said. */
export interface FieldsBefore {
  fields: ShownFields
  said: ShownFields
}

interface RenderedNote {
  text: string
  /** Fields that the front matter cannot show, since it cannot be edited safely. */
  hidden: readonly string[]
  /** What the service has to be told, so that its fields and its text agree on what was changed last. */
  toWrite: { content: string; fields: ShownFields } | undefined
}

/**
 * The file of a note: its text, with the fields that the service has set in its front matter. Of a field and the front
 * matter of the text, what was changed since the last sync counts.
 */
export const renderNote = (content: string, fields: ShownFields, before: FieldsBefore | undefined): RenderedNote => {
  const said = fieldsOfText(content)
  const shown: Partial<Record<Name, unknown>> = {}
  const wanted: Partial<Record<Name, unknown>> = { ...fields }
  let isCleared = false
  for (const name of names) {
    const isTextChanged = before !== undefined && !isSame(said[name], before.said[name])
    const isFieldChanged = before !== undefined && !isSame(fields[name], before.fields[name])
    shown[name] = fields[name] ?? said[name]
    if (isTextChanged && (!isFieldChanged || fields[name] === undefined)) {
      shown[name] = said[name]
      wanted[name] = said[name]
    } else if (isFieldChanged && fields[name] === undefined && said[name] !== undefined) {
      shown[name] = undefined
      isCleared = true
    }
  }
  const edits = names
    .filter((name) => !isSame(shown[name], said[name]))
    .map((name): FieldEdit => [spellings[name] ?? [name], onlySet(shown)[name]])
  const edited = edits.length === 0 ? content : editFrontMatter(content, edits)
  // Front matter that cannot be edited without doubt stays as it is.
  const isRight =
    edited !== undefined &&
    sameFields(fieldsOfText(edited), onlySet(shown)) &&
    Buffer.byteLength(edited) <= maxNoteBytes
  const text = isRight ? edited : content
  const toWrite = { content: isCleared ? text : content, fields: onlySet(wanted) }
  const isSaid = toWrite.content === content && sameFields(toWrite.fields, fields)
  return { text, hidden: isRight ? [] : edits.map(([[name]]) => name!), toWrite: isSaid ? undefined : toWrite }
}
