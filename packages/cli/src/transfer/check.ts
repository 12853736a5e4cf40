import type { Source, SourceNote, SourceTask } from './records.js'

/** What the service takes at most, so that all that is wrong can be told before anything is sent. */
const maxTitle = 500
const maxText = 65_536
const maxContent = 1_048_576
const maxKey = 512
const maxExternalId = 255
const maxBlockers = 50
const maxNoteTitle = 200
const maxNoteSource = 2_000
const maxSuperseded = 20

const bytesOf = (text: string): number => Buffer.byteLength(text)

const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()
const notStorable = 'contains a NUL character or an unpaired surrogate'

const faultOfTask = ({ id, title, description, blockedBy, comments }: SourceTask): string | undefined => {
  if (id.length > maxExternalId) return `id is longer than ${maxExternalId} characters`
  if (title.trim().length > maxTitle) return `title is longer than ${maxTitle} characters`
  if (bytesOf(description) > maxText) return 'description is larger than 64 KiB'
  if (blockedBy.length > maxBlockers) return `is blocked by more than ${maxBlockers} tasks`
  const texts = [title, description, ...comments.map(({ text }) => text)]
  if (!texts.every(isStorable)) return notStorable
  return comments.some(({ text }) => bytesOf(text) > maxText - 256) ? 'a comment is larger than 64 KiB' : undefined
}

const faultOfKey = (key: string): string | undefined => {
  if (key === '' || bytesOf(key) > maxKey) return `key must have 1 to ${maxKey} bytes`
  if (key === 'search') return 'key "search" is reserved'
  if (/[\u0000-\u001f\u007f]/.test(key)) return 'key contains a control character'
  const isWrong = key.split('/').some((segment) => segment === '' || segment === '.' || segment === '..')
  return isWrong ? 'key has an empty, "." or ".." segment' : undefined
}

const faultOfNote = (note: SourceNote): string | undefined => {
  const { title, source, supersedes } = note.fields ?? {}
  const fault = faultOfKey(note.key)
  if (fault) return fault
  if ([...(title ?? '')].length > maxNoteTitle) return `title is longer than ${maxNoteTitle} characters`
  if ((source ?? '').length > maxNoteSource) return `source is longer than ${maxNoteSource} characters`
  if ((supersedes ?? []).length > maxSuperseded) return `supersedes more than ${maxSuperseded} notes`
  let content: string
  try {
    content = note.content()
  } catch (error) {
    return (error as Error).message
  }
  if (bytesOf(content) > maxContent) return 'content is larger than 1 MiB'
  return isStorable(content) ? undefined : notStorable
}

/** Moves what the service would refuse, and what is there twice, to the bad records. */
export const checkSource = (source: Source): Source => {
  const bad = [...source.bad]
  const keep = <T extends { place: string }>(
    records: T[],
    idOf: (record: T) => string,
    faultOf: (record: T) => string | undefined,
  ): T[] => {
    const seen = new Map<string, string>()
    return records.filter((record) => {
      const id = idOf(record)
      const first = seen.get(id)
      const reason = first === undefined ? faultOf(record) : `is there twice; first at ${first}`
      if (reason !== undefined) bad.push({ place: record.place, reason })
      else seen.set(id, record.place)
      return reason === undefined
    })
  }
  const tasks = keep(source.tasks, ({ id }) => id, faultOfTask)
  const notes = keep(source.notes, ({ project = '', key }) => `${project} ${key}`, faultOfNote)
  return { ...source, tasks, notes, bad }
}
