import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'

const headerBytes = 100
const magic = 'SQLite format 3\0'

const readHeader = (path: string): { header: Buffer; size: number } => {
  const file = openSync(path, 'r')
  try {
    const header = Buffer.alloc(headerBytes)
    const read = readSync(file, header, 0, headerBytes, 0)
    return { header: header.subarray(0, read), size: fstatSync(file).size }
  } finally {
    closeSync(file)
  }
}

const logBytes = (path: string): number => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0

/**
 * Why a file cannot be a whole SQLite database, by its own bytes alone; undefined where nothing speaks against it.
 * SQLite itself ignores a last page that is cut short, and creates files beside those that it opens.
 */
export const problemWithFile = (path: string): string | undefined => {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) return 'the file does not exist'
  if (!found.isFile()) return 'it is not a file'
  if (found.size === 0) return 'the file is empty'
  const { header, size } = readHeader(path)
  if (header.length < headerBytes || header.toString('latin1', 0, 16) !== magic) return 'it is not a SQLite database'
  const pageBytes = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16)
  const expected = header.readUInt32BE(28) * pageBytes
  if (expected === 0 || header.readUInt32BE(24) !== header.readUInt32BE(92)) return 'its header is damaged'
  if (size < expected) return `it is incomplete: it has ${size} bytes instead of ${expected}`
  if (size > expected) return `it is damaged: it has ${size} bytes instead of ${expected}`
  if (logBytes(path) > 0) return `it is a database in use, not a backup: it has a write-ahead log (${path}-wal)`
  return undefined
}
