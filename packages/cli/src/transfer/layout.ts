import { createHash } from 'node:crypto'

/** Raised when a reader of the present version could not read what is written. */
export const exportVersion = 2

/** What an exported folder has: projects and tasks as JSON lines, notes as Markdown files below a folder. */
export const folderFiles = {
  header: 'projects.jsonl',
  tasks: 'tasks.jsonl',
  notes: 'notes',
  /** Of the notes, where it was asked for. */
  history: 'history.jsonl',
} as const

/** Where the notes of the whole tenant are; a project's are in a folder with its key, which is in capitals. */
const tenantFolder = 'tenant'

const maxSegmentBytes = 120
/** What some file systems do not take in a name, and what would hide a file. */
const unsafe = /[<>:"\\|?*%\u0000-\u001f]|^\.|[. ]$/g

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8)

const segmentOf = (segment: string): string => {
  const safe = segment.replaceAll(unsafe, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`)
  return Buffer.byteLength(safe) > maxSegmentBytes ? `${safe.slice(0, maxSegmentBytes / 3)}~${hashOf(segment)}` : safe
}

/** Names files for keys: no two the same, not even where large and small letters are. */
export const createNoteNames = () => {
  const taken = new Set<string>()
  return (project: string | undefined, key: string): string => {
    const base = [project ?? tenantFolder, ...key.split('/').map(segmentOf)].join('/')
    const name = taken.has(base.toLowerCase()) ? `${base}~${hashOf(key)}` : base
    taken.add(name.toLowerCase())
    return `${name}.md`
  }
}

const named = (segment: string): string =>
  segment.replaceAll(/%([0-9a-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))

/** What the name of a file says of its note. Systems that decompose letters in names must not change the key. */
export const noteOfName = (name: string): { project: string | undefined; key: string } => {
  const [folder, ...segments] = name.replace(/\.md$/i, '').normalize('NFC').split('/')
  return { project: folder === tenantFolder ? undefined : folder, key: segments.map(named).join('/') }
}
