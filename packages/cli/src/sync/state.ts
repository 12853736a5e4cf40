import { appendFileSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CommandError } from '../exit-codes.js'
import { readIfThere, writePrivateJson } from '../private-file.js'
import type { ShownFields } from './note-fields.js'

/** Where a folder is synced to. */
export interface SyncTarget {
  tenantId: string
  /** Null for the notes of the whole tenant. */
  projectId: string | null
  /** The key of the project, for messages. */
  projectKey?: string | undefined
  /** Empty, or with a slash at its end. */
  prefix: string
}

/** A file and its note, as they were when they were last the same. */
export interface SyncedNote {
  key: string
  /** 0 where the note was sent and the answer is not known. */
  version: number
  /** Of the file. */
  hash: string
  /** Of the file as it was sent, where the answer is not known. */
  sent?: string
  /** Of the text on the service, where the file shows fields that the text does not. */
  contentHash?: string
  /** What is set on the service. */
  fields?: ShownFields
  /** What the front matter of the text on the service says, where that is something else. */
  said?: ShownFields
  /** Size and times of the file with that hash, where they are old enough to tell a later change. */
  stat?: FileStat
}

export type FileStat = readonly [size: number, mtimeMs: number, ctimeMs: number]

export interface SyncState {
  target: SyncTarget
  /** Up to where the event log was followed; null before the first run is complete. */
  position: number | null
  /** When all notes of the service were last listed. */
  listedAtMs: number
  /** By path. */
  notes: Map<string, SyncedNote>
  /** Versions of notes that have no file here, by key. */
  unsynced: Map<string, number>
}

const format = 1

const stateFolder = '.worklore'

const isMissing = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) === undefined

/** The folder for the state, which git does not see. */
export const prepareStateFolder = (root: string): string => {
  const folder = join(root, stateFolder)
  if (isMissing(folder)) mkdirSync(folder, { mode: 0o700 })
  else if (!lstatSync(folder).isDirectory()) throw new CommandError(`${folder} must be a folder, not a link or a file.`)
  const ignore = join(folder, '.gitignore')
  if (isMissing(ignore)) writeFileSync(ignore, '*\n')
  return folder
}

const fileOf = (root: string): string => join(root, stateFolder, 'sync.json')

/** What changed since the state was written: a line for each change, so that a kill loses none. */
const journalOf = (root: string): string => join(root, stateFolder, 'sync.journal')

export const appendToJournal = (root: string, path: string, note: SyncedNote | undefined): void =>
  appendFileSync(journalOf(root), `${JSON.stringify([path, note ?? null])}\n`, { mode: 0o600 })

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isSyncedNote = (value: unknown): value is SyncedNote =>
  isObject(value) &&
  typeof value.key === 'string' &&
  typeof value.version === 'number' &&
  typeof value.hash === 'string' &&
  [value.fields, value.said].every((each) => each === undefined || isObject(each)) &&
  (value.stat === undefined || Array.isArray(value.stat))

const isTarget = (value: unknown): value is SyncTarget =>
  isObject(value) &&
  typeof value.tenantId === 'string' &&
  (value.projectId === null || typeof value.projectId === 'string') &&
  typeof value.prefix === 'string'

interface StoredState extends Omit<SyncState, 'notes' | 'unsynced'> {
  notes: Record<string, SyncedNote>
  unsynced: Record<string, number>
}

const isState = (value: Record<string, unknown>): value is Record<string, unknown> & StoredState =>
  value.format === format &&
  isTarget(value.target) &&
  (value.position === null || typeof value.position === 'number') &&
  typeof value.listedAtMs === 'number' &&
  isObject(value.notes) &&
  Object.values(value.notes).every(isSyncedNote) &&
  isObject(value.unsynced) &&
  Object.values(value.unsynced).every((version) => typeof version === 'number')

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const replayJournal = (root: string, notes: Map<string, SyncedNote>): void => {
  if (isMissing(journalOf(root))) return
  for (const line of readFileSync(journalOf(root), 'utf8').split('\n')) {
    let entry: unknown
    try {
      entry = JSON.parse(line)
    } catch {
      // The last line may be cut.
      continue
    }
    if (!Array.isArray(entry)) continue
    const [path, note] = entry
    if (isSyncedNote(note)) notes.set(path, note)
    else notes.delete(path)
  }
}

/** The state of the last run; undefined where there is none, or a damaged one, which is told. */
export const readState = (root: string, onDamage: (line: string) => void = () => {}): SyncState | undefined => {
  const file = fileOf(root)
  const text = readIfThere(file)
  if (text === undefined) return undefined
  const stored = parsed(text)
  if (!isObject(stored) || (stored.format === format && !isState(stored))) {
    onDamage(`${file} is damaged and counts as lost: what differs on both sides is a conflict.`)
    return undefined
  }
  if (!isState(stored)) {
    throw new CommandError(
      `${file} was written by another version of wl. Remove it to start anew: what is the same on both sides stays as it is.`,
    )
  }
  const { target, position, listedAtMs, notes, unsynced } = stored
  const state: SyncState = {
    target,
    position,
    listedAtMs,
    notes: new Map(Object.entries(notes)),
    unsynced: new Map(Object.entries(unsynced)),
  }
  replayJournal(root, state.notes)
  return state
}

export const writeState = (root: string, { notes, unsynced, ...state }: SyncState): void => {
  writePrivateJson(fileOf(root), {
    format,
    ...state,
    notes: Object.fromEntries(notes),
    unsynced: Object.fromEntries(unsynced),
  })
  rmSync(journalOf(root), { force: true })
}
