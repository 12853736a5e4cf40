import type { KnowledgeItem } from 'worklore-client'
import type { ExportedNote } from './export-records.js'
import { type FrontMatter, listField, splitFrontMatter, textField } from './front-matter.js'
import { noteOfName } from './layout.js'
import type { NoteFields, SourceNote } from './records.js'
import { asObject, labelsOf, timeOf } from './values.js'

const maxTitle = 200
const maxSource = 2_000
const maxSuperseded = 20
const maxMetadata = 16_384

/** A date, or a time with its zone: others mean something else on every machine. */
const moment = /^\d{4}-\d\d-\d\d(?:$|.*(?:z|[+-]\d\d:?\d\d)$)/i

/** A list, or a text with commas; tags may also be separated by spaces. */
const namesIn = (fields: FrontMatter, names: readonly string[], separator: RegExp): string[] =>
  names
    .flatMap((name) =>
      listField(fields, name).flatMap((text) => (Array.isArray(fields[name]) ? text : text.split(separator))),
    )
    .map((text) => text.trim())
    .filter((text) => text !== '')

const tagsIn = (fields: FrontMatter): string[] => {
  const separator = textField(fields, 'tags').includes(',') ? /,/ : /[,\s]/
  return labelsOf(namesIn(fields, ['tags', 'tag'], separator).map((tag) => tag.replace(/^#/, '')))
}

const linkTarget = (text: string): string => /^\[\[([^\]|#]+)/.exec(text)?.[1]?.trim() ?? text

/** The fields that a text's own front matter sets, as Obsidian and others write it. What the service would refuse is left out. */
export const ownFields = (content: string): NoteFields => {
  const { fields } = splitFrontMatter(content)
  if (!fields) return {}
  const [title, source, until] = ['title', 'source', 'validUntil'].map((name) =>
    textField(fields, name)
      .trim()
      .replaceAll(/\s*\n\s*/g, ' '),
  )
  const aliases = namesIn(fields, ['aliases', 'alias'], /,/)
  const supersedes = [...new Set(listField(fields, 'supersedes').map(linkTarget))]
  return {
    title: title && [...title].length <= maxTitle ? title : undefined,
    tags: tagsIn(fields),
    source: source && source.length <= maxSource ? source : undefined,
    validUntil: moment.test(until!) ? timeOf(until) : undefined,
    supersedes: supersedes.length <= maxSuperseded ? supersedes : [],
    metadata: aliases.length > 0 && JSON.stringify(aliases).length < maxMetadata / 4 ? { aliases } : {},
  }
}

const objectField = (fields: FrontMatter, name: string): Record<string, unknown> | undefined => {
  const value = fields[name]
  if (value === undefined || value === '') return undefined
  try {
    return asObject(value)
  } catch {
    throw new Error(`${name} is not a JSON object`)
  }
}

/** Front matter that begins with a key was added by an export; any other belongs to the text. */
export const splitExported = (
  text: string,
): { said: Omit<SourceNote, 'place' | 'content'> | undefined; content: string } => {
  const { fields, body } = splitFrontMatter(text)
  const key = fields && Object.keys(fields)[0] === 'key' ? textField(fields, 'key') : ''
  if (!fields || key === '') return { said: undefined, content: text }
  const said = {
    key,
    project: textField(fields, 'project') || undefined,
    fields: {
      title: textField(fields, 'title') || undefined,
      tags: listField(fields, 'tags'),
      source: textField(fields, 'source') || undefined,
      validUntil: textField(fields, 'validUntil') || undefined,
      supersedes: listField(fields, 'supersedes'),
      metadata: objectField(fields, 'metadata'),
    },
    retraction: objectField(fields, 'retraction')?.reason?.toString(),
  }
  return { said, content: body }
}

/** In one form, to be compared. */
const comparable = ({ title, tags, source, validUntil, supersedes, metadata }: NoteFields): string =>
  JSON.stringify([title ?? '', tags ?? [], source ?? '', validUntil ?? '', supersedes ?? [], metadata ?? {}])

/** Whether the name of the file and the text say all that an import needs, and nothing else. */
const isComplete = (note: ExportedNote, name: string): boolean => {
  const { key, project, content, trust, retraction, supersededBy } = note
  const said = noteOfName(name)
  return (
    said.key === key &&
    said.project === (project ?? undefined) &&
    trust === 'unreviewed' &&
    retraction === null &&
    supersededBy === null &&
    splitExported(content).said === undefined &&
    comparable(ownFields(content)) === comparable(note)
  )
}

const byName = <T extends { by: KnowledgeItem['createdBy'] }>(decision: T | null) =>
  decision && { ...decision, by: decision.by.keyName }

const isSet = (value: unknown): boolean =>
  value !== null && (typeof value !== 'object' || Object.keys(value as object).length > 0)

/** Fields as YAML that is JSON, so that every value comes back as it was. */
const frontMatter = (note: ExportedNote): string => {
  const { key, project, title, tags, source, validUntil, supersedes, metadata, supersededBy, state, trust } = note
  const fields = {
    key,
    project,
    title,
    tags,
    source,
    validUntil,
    supersedes,
    metadata,
    state: state === 'current' ? null : state,
    supersededBy,
    trust: trust === 'unreviewed' ? null : trust,
    verdict: byName(note.verdict),
    retraction: byName(note.retraction),
    version: note.version,
    createdAt: note.createdAt,
    createdBy: note.createdBy.keyName,
    updatedAt: note.updatedAt,
    updatedBy: note.updatedBy.keyName,
  }
  const lines = Object.entries(fields)
    .filter(([, value]) => isSet(value))
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`)
  // Line ends of Unicode would end the line for some readers.
  const text = lines.join('').replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
  return `---\n${text}---\n`
}

/** The file of a note: its text, with front matter only where that is needed. */
export const noteText = (note: ExportedNote, name: string): string =>
  isComplete(note, name) ? note.content : frontMatter(note) + note.content
