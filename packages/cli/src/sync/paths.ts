import { usageError } from '../exit-codes.js'

/** Files that a conflict left. They belong to this folder alone. */
export const isConflictFile = (path: string): boolean => /\.conflict(-\d+)?\.md$/i.test(path)

export const isNoteFile = (name: string): boolean => /\.md$/i.test(name)

/** Folders that belong to programs, such as .git, .obsidian and .worklore. */
export const isIgnored = (name: string): boolean => name.startsWith('.') || name === 'node_modules'

/** The name of a file in which a conflict keeps the text of this folder. */
export const conflictName = (path: string, attempt: number): string =>
  path.replace(/\.md$/i, `.conflict${attempt === 1 ? '' : `-${attempt}`}.md`)

/** The key of a file. Systems that decompose letters in names must not change it. */
export const keyOfPath = (path: string, prefix: string): string => prefix + path.replace(/\.md$/i, '').normalize('NFC')

export const pathOfKey = (key: string, prefix: string): string => `${key.slice(prefix.length)}.md`

const maxKeyBytes = 512
/** What file systems take, less the name of a temporary file. */
const maxNameBytes = 220

const reservedName = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)/i

const nameProblem = (name: string): string | undefined => {
  if (name === '' || name === '.' || name === '..') return 'its key is not a path inside the folder'
  if (isIgnored(name)) return `"${name}" is a name that is not synced`
  if (/[<>:"\\|?*\u0000-\u001f]/.test(name)) return `"${name}" has a character that Windows does not allow in names`
  if (/[. ]$/.test(name)) return `"${name}" ends with a dot or a space, which Windows does not allow in names`
  if (reservedName.test(name)) return `"${name}" is a reserved name on Windows`
  return Buffer.byteLength(name) > maxNameBytes ? `"${name.slice(0, 20)}…" is too long for a file name` : undefined
}

/** Why no file is made for a key; undefined where one can be. */
export const pathProblem = (key: string, prefix: string): string | undefined => {
  const path = pathOfKey(key, prefix)
  if (isConflictFile(path)) return 'its name is that of a conflict file'
  if (keyOfPath(path, prefix) !== key) return 'its key has letters in a form that file systems change'
  for (const name of path.split('/')) {
    const problem = nameProblem(name)
    if (problem) return problem
  }
  return undefined
}

export const notUtf8Name = 'its name is not valid UTF-8'

/** Whether a name may be one that Node could not decode, and cannot open. */
export const isMangled = (name: string): boolean => name.includes('\ufffd')

/** Why a file is not uploaded; undefined where it can be. */
export const keyProblem = (key: string): string | undefined => {
  if (key === 'search') return 'the key "search" is reserved'
  if (Buffer.byteLength(key) > maxKeyBytes) return `its key is longer than ${maxKeyBytes} bytes`
  if (/[\u0000-\u001f\u007f-\u009f]/.test(key)) return 'its name has a control character'
  if (key.includes('\\')) return 'its name has a backslash'
  return isMangled(key) ? notUtf8Name : undefined
}

/** The form in which a file system that ignores case compares names. */
export const folded = (path: string): string => path.normalize('NFC').toLowerCase()

/**
 * Finds names that are one on file systems that ignore case, also of folders: who comes first has it. A file and a
 * folder cannot share a name either.
 */
export const createNameTable = () => {
  const taken = new Map<string, string>()
  return {
    /** The name that is in the way; undefined where the path is free or the same. */
    claim: (path: string): string | undefined => {
      const parts = path.split('/')
      const wanted = parts.map((_, at) => parts.slice(0, at + 1).join('/') + (at < parts.length - 1 ? '/' : ''))
      const bare = (name: string): string => name.replace(/\/$/, '')
      for (const name of wanted) {
        const other = taken.get(folded(bare(name)))
        if (other !== undefined && other !== name) return bare(other)
      }
      for (const name of wanted) taken.set(folded(bare(name)), name)
      return undefined
    },
  }
}

/** `notes` and `notes/` are the same; the empty prefix is everything. */
export const checkedPrefix = (text: string): string => {
  const prefix = text.replace(/^\/+|\/+$/g, '')
  if (prefix.split('/').some((name) => name === '.' || name === '..')) {
    throw usageError(`--prefix must be the start of a key, such as notes; "${text}" has "." or ".." in it.`)
  }
  return prefix === '' ? '' : `${prefix}/`
}
