import {
  appendFileSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { CommandError } from '../exit-codes.js'
import type { ExportedRecord } from './export-records.js'
import { createNoteNames, folderFiles } from './layout.js'
import { noteText } from './note-front-matter.js'

export type Counts = Record<ExportedRecord['kind'], number>

/** A whole write, with the file named where it fails. */
const write = (descriptor: number, file: string, text: string): void => {
  try {
    for (let rest = Buffer.from(text); rest.length > 0; ) rest = rest.subarray(writeSync(descriptor, rest))
  } catch (error) {
    throw Object.assign(error as Error, { path: file })
  }
}

const lineOf = (record: object): string => `${JSON.stringify(record)}\n`

/** Calls back for each record, and counts them. */
const forEachRecord = async (
  records: AsyncIterable<ExportedRecord>,
  put: (record: ExportedRecord) => void | Promise<void>,
): Promise<Counts> => {
  const counts: Counts = { export: 0, project: 0, task: 0, question: 0, note: 0 }
  for await (const record of records) {
    await put(record)
    counts[record.kind]++
  }
  return counts
}

const isRegular = (file: string): boolean => statSync(file, { throwIfNoEntry: false })?.isFile() ?? true

/** One file of JSON lines. It appears under its name when it is complete. */
export const writeFileExport = async (file: string, records: AsyncIterable<ExportedRecord>): Promise<Counts> => {
  // A pipe or a device is written as it is.
  const part = isRegular(file) ? `${file}.part` : file
  const descriptor = openSync(part, 'w', 0o600)
  try {
    const counts = await forEachRecord(records, (record) => write(descriptor, file, lineOf(record)))
    if (part !== file) renameSync(part, file)
    return counts
  } catch (error) {
    if (part !== file) rmSync(part, { force: true })
    throw error
  } finally {
    closeSync(descriptor)
  }
}

/** As fast as the reader takes it; one that has enough ends the command, as with every output. */
export const writeStreamExport = (records: AsyncIterable<ExportedRecord>): Promise<Counts> =>
  forEachRecord(records, (record) => {
    if (process.stdout.write(lineOf(record))) return undefined
    return new Promise((resolve) => process.stdout.once('drain', resolve))
  })

const expectNoFolder = (folder: string): void => {
  const isTaken = statSync(folder, { throwIfNoEntry: false })?.isDirectory() && readdirSync(folder).length > 0
  if (isTaken) throw new CommandError(`${folder} is not empty. Choose another folder, or empty it.`)
}

/** A folder of Markdown notes, with the tasks as JSON lines. It appears under its name when it is complete. */
export const writeFolderExport = async (folder: string, records: AsyncIterable<ExportedRecord>): Promise<Counts> => {
  expectNoFolder(folder)
  const part = `${folder.replace(/[\\/]+$/, '')}.part`
  rmSync(part, { recursive: true, force: true })
  const nameOf = createNoteNames()
  const append = (name: string, text: string): void => {
    const file = join(part, name)
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    appendFileSync(file, text, { mode: 0o600 })
  }
  const put = (record: ExportedRecord): void => {
    if (record.kind === 'task' || record.kind === 'question') append(folderFiles.tasks, lineOf(record))
    else if (record.kind !== 'note') append(folderFiles.header, lineOf(record))
    else {
      const { key, project, history } = record
      const name = nameOf(project ?? undefined, key)
      append(join(folderFiles.notes, name), noteText(record, name))
      if (history) append(folderFiles.history, lineOf({ key, project, history }))
    }
  }
  try {
    const counts = await forEachRecord(records, put)
    if (statSync(folder, { throwIfNoEntry: false })) rmdirSync(folder)
    renameSync(part, folder)
    return counts
  } catch (error) {
    rmSync(part, { recursive: true, force: true })
    throw Object.assign(error as Error, { path: folder })
  }
}
