import type { KnowledgeItem, Worklore } from 'worklore-client'
import { sendUnits } from 'worklore-client/bulk'
import type { Progress } from '../terminal/progress.js'
import { noteWait } from '../transfer/patient-client.js'
import { changeFolder } from './change-folder.js'
import { expectSome, type Pair, pairsOf, stepOf } from './decide.js'
import { createFolder, sameStat } from './files.js'
import { sendLateLinks } from './links.js'
import { followMoves, sendMoves } from './moves.js'
import type { Pass } from './pass.js'
import { createRemote } from './remote.js'
import type { Report } from './report.js'
import { beingWritten, leaveUnfinished, scanFolder } from './scan.js'
import { type Agreement, sendAgreements, sendDeletions, sendUploads, type Upload } from './send.js'
import { appendToJournal, type SyncedNote, type SyncState, writeState } from './state.js'
import { takeNote } from './take.js'
import { notesToDelete } from './vanished.js'

interface SessionOptions {
  wl: Worklore
  root: string
  state: SyncState
  isDry: boolean
  isConfirmed: boolean
  progress: Progress
  report(report: Report): void
}

export interface PassResult {
  /** Whether something was changed meanwhile. */
  isRepeated: boolean
  /** Whether a file was being written. */
  isWaiting: boolean
  folders: string[]
  conflicts: string[]
}

/** Brings a folder and the service to the same, as often as it is asked. */
export const createSession = ({ wl, root, state, isDry, isConfirmed, progress, report }: SessionOptions) => {
  const folder = createFolder(root)
  const remote = createRemote(wl, state.target)
  let isChanged = false

  const save = (): void => {
    if (isDry || !isChanged) return
    writeState(root, state)
    isChanged = false
  }
  const remember = (path: string, note: SyncedNote | undefined): void => {
    if (note) state.notes.set(path, note)
    else state.notes.delete(path)
    isChanged = true
    if (!isDry) appendToJournal(root, path, note)
  }
  if (!isDry) writeState(root, state)

  /** Takes or reads the notes that were changed on the service; gives what is to be sent for them. */
  const takeChanged = async (
    pass: Pass,
    pairs: readonly Pair[],
  ): Promise<{ uploads: Upload[]; agreements: Agreement[] }> => {
    const uploads: Upload[] = []
    const agreements: Agreement[] = []
    const take = (pair: Pair, item: KnowledgeItem): void => {
      const taken = takeNote(pass, pair, item)
      if (taken.kind === 'upload') {
        const { before, version } = taken
        uploads.push({ pair: { ...pair, before }, version, isKept: false })
      }
      if (taken.kind === 'write') agreements.push({ pair, ...taken })
    }
    const unread = new Map<string, Pair>()
    for (const pair of pairs) {
      if (pair.note?.item) take(pair, pair.note.item)
      else unread.set(pair.key, pair)
    }
    const { size } = unread
    const keys = new Set(unread.keys())
    await remote.fetch(
      keys,
      pass.there.notes.size,
      (item) => {
        const pair = unread.get(item.key)
        unread.delete(item.key)
        if (pair) take(pair, item)
      },
      (done) => progress.update('reading notes', done, size),
    )
    // They were deleted meanwhile.
    if (unread.size > 0) {
      pass.repeat()
      pass.leaveOpen()
    }
    return { uploads, agreements }
  }

  const run = async (): Promise<PassResult> => {
    const scan = scanFolder(root, state.notes, !isDry)
    await leaveUnfinished(root, scan, state.notes)
    const there = await remote.read(state)
    let isRepeated = false
    let isOpen = false
    const pass: Pass = {
      wl,
      root,
      folder,
      remote,
      state,
      scan,
      there,
      isDry,
      setAside: new Map(),
      report,
      progress: progress.update,
      send: async (what, units, total) => {
        let done = 0
        if (isDry || total === 0) return
        await sendUnits(wl, units, {
          onProgress: (count) => {
            done += count
            progress.update(what, done, Math.max(done, total))
          },
          onWait: (error, waitMs) => noteWait(progress, error, waitMs),
        })
      },
      remember,
      repeat: () => {
        isRepeated = true
      },
      leaveOpen: () => {
        isOpen = true
      },
    }
    const known = new Set([...[...state.notes.values()].map(({ key }) => key), ...state.unsynced.keys()])
    // What was sent and did not arrive.
    for (const [path, { key, version }] of state.notes) {
      if (version === 0 && !there.notes.has(key)) remember(path, undefined)
    }
    followMoves(pass)
    await sendMoves(pass)
    const pairs = pairsOf(pass)
    expectSome(pass, pairs, isConfirmed)

    const toRead: Pair[] = []
    const toDelete: Pair[] = []
    const uploads: Upload[] = []
    for (const pair of pairs) {
      const { path, file, before } = pair
      const step = stepOf(pair)
      if (step.kind === 'read') toRead.push(pair)
      else if (step.kind === 'upload') uploads.push({ ...step, pair })
      else if (step.kind === 'deleteNote') toDelete.push(pair)
      else if (step.kind === 'forget') {
        remember(path, undefined)
      } else if (step.kind === 'deleteFile') {
        if (!isDry && !changeFolder(pass, path, () => folder.remove(path, file!.stat))) continue
        remember(path, undefined)
        report({ action: 'deleted', path, side: 'folder' })
      } else if (file?.isSettled && !sameStat(before!.stat, file.stat)) {
        state.notes.set(path, { ...before!, stat: file.stat })
        isChanged = true
      }
    }
    const taken = await takeChanged(pass, toRead)
    await sendUploads(pass, [...uploads, ...taken.uploads])
    await sendAgreements(pass, taken.agreements)
    await sendLateLinks(pass, known)
    await sendDeletions(pass, notesToDelete(pass, toDelete, isConfirmed))

    const listedAtMs = isOpen ? 0 : there.isListed ? Date.now() : state.listedAtMs
    if (state.position !== there.position || state.listedAtMs !== listedAtMs) isChanged = true
    Object.assign(state, { position: there.position, listedAtMs })
    save()
    const isWaiting = [...scan.skipped.values()].includes(beingWritten)
    return { isRepeated, isWaiting, folders: scan.folders, conflicts: scan.conflicts }
  }

  return { run, save }
}

export type Session = ReturnType<typeof createSession>
