import { setTimeout as sleep } from 'node:timers/promises'
import type { DueWorker } from '../../background/loop.js'
import { itemsPerRound, runRound } from '../../background/rounds.js'
import { AppError } from '../../base/errors.js'
import { audit } from '../../changelog/audit/service.js'
import { endDeletion } from '../../changelog/deletions/service.js'
import { forgetComment, forgetTask } from '../../changelog/inbox/maintenance.js'
import { eventsShowing, redactEvents } from '../../changelog/maintenance.js'
import { kindOfType, type Position, partOf, type RecordEventType } from '../../changelog/versions/version.js'
import { serviceActor } from '../../operations/actor.js'
import { type Call, changing, ownOrigin } from '../../operations/call.js'
import type { Core } from '../../operations/core.js'
import type { Hooks } from '../../operations/hooks.js'
import { type AnswerPosition, firstAnswer, redactAnswers } from '../../operations/idempotency/maintenance.js'
import { changingAsAdmin } from '../../tenancy/keys/live-key.js'
import { forgetProjectMembers, wasPrivate } from '../../tenancy/projects/members/service.js'
import { deletedProject, removeProject } from '../../tenancy/projects/service.js'
import { forgetTask as forgetBasisOf, forgetItem } from '../../work/reliance/forget.js'
import { purgeComments } from '../../work/tasks/comments/trash.js'
import { purgeQuestions } from '../../work/tasks/questions/trash.js'
import { forgetSevered } from '../../work/tasks/restore/severed.js'
import { deletionsAfter } from '../history/removal/deletions.js'
import { forget, type Life, lifeOfPart, notePurged, searchForProject } from '../history/removal/forget.js'
import { clearProject } from './clear-project.js'
import { purgedAmong } from './purged-records.js'
import { visibleEntry } from './restore.js'
import type { StoredEntry } from './store.js'
import * as store from './store.js'

/** Changes whose versions go in one transaction. */
const changesPerStep = 200
const linksPerStep = 200

/**
 * An entry is purged in steps. Of one record after the other go the versions, what the log and deliveries say of them,
 * the comments and questions, and the vectors; then the stored answers and search indexes that may tell of them.
 */
interface Progress {
  /** The record that is being purged, where it is not the next one. */
  record: { type: RecordEventType; record: string; position: Position; life: Life | undefined } | null
  /** Where the records go on. */
  after: Position
  /** Where the stored answers go on, once no record is left. */
  answers: AnswerPosition | null
  /** How far the history was searched for what is left of a project, once the answers are done. */
  searchedUpTo?: number
}

const startOf = ({ firstSequence }: StoredEntry): Progress => ({
  record: null,
  after: [firstSequence - 1, Number.MAX_SAFE_INTEGER],
  answers: null,
})

const redact = async (call: Call, hooks: Hooks, sequences: readonly number[]): Promise<void> => {
  if (sequences.length === 0) return
  await redactEvents(call, sequences)
  await hooks.eventsRedacted(call, sequences)
}

/** Goes on with one record; answers how, or null where nothing is left of it. */
const purgeRecord = async (
  call: Call,
  hooks: Hooks,
  going: NonNullable<Progress['record']>,
): Promise<NonNullable<Progress['record']> | null> => {
  const { type, record, position, life } = going
  const kind = kindOfType(type)
  if (life) {
    const sequences = await forget(call, life, changesPerStep)
    await redact(call, hooks, sequences)
    return { ...going, life: sequences.length === changesPerStep ? life : undefined }
  }
  if (kind === 'task') {
    const comments = await purgeComments(call, record, changesPerStep)
    const questions = await purgeQuestions(call, record, changesPerStep)
    const ofPart = await lifeOfPart(call, record)
    if (ofPart) return { type, record, position, life: ofPart }
    if (comments === changesPerStep || questions === changesPerStep) return going
  }
  if (kind === 'task' || kind === 'knowledge') {
    const sequences = await eventsShowing(call, kind, record, changesPerStep)
    await redact(call, hooks, sequences)
    if (sequences.length === changesPerStep) return going
  }
  if (kind === 'task') await store.deleteCommentEntries(call.db, call.actor.tenantId, record)
  return null
}

const nextRecord = async (call: Call, hooks: Hooks, entry: StoredEntry, progress: Progress): Promise<Progress> => {
  const [row] = await deletionsAfter(call, progress.after, entry.lastSequence, 1)
  if (!row) return { ...progress, answers: firstAnswer }
  const kind = kindOfType(row.type)
  if (kind === 'task' || kind === 'knowledge') {
    await hooks.documentPurged(call, { kind, subject: row.record })
  }
  if (kind === 'task') {
    await forgetTask(call, row.record)
    await forgetBasisOf(call, row.record)
  }
  if (kind === 'knowledge') await forgetItem(call, row.record)
  if (kind === 'comment') await forgetComment(call, partOf(row.record))
  const position: Position = [row.sequence, row.place]
  const record = { type: row.type, record: row.record, position, life: { record: row.record, upTo: position } }
  return { ...progress, record, after: position }
}

/**
 * Runs one step of clearing a deleted project: first its contents, then its links, then the project itself. Returns
 * false once the project is gone.
 */
const clearFurther = async (call: Call, entry: StoredEntry): Promise<boolean> => {
  const project = await deletedProject(call, entry.record)
  if (!project) return false
  if (!(await clearProject(call, project))) return true
  if (!(await forgetSevered(call, project.id, linksPerStep))) return true
  await endDeletion(call, 'project', project.id)
  await removeProject(call, project)
  return true
}

/** Forgets a project whose records are purged. For the sake of what was moved elsewhere before, it stays private. */
const leaveProject = async (call: Call, { record }: StoredEntry, progress: Progress): Promise<Progress | undefined> => {
  const searched = (await wasPrivate(call, record))
    ? await searchForProject(call, record, progress.searchedUpTo!)
    : 'none'
  if (typeof searched === 'number') return { ...progress, searchedUpTo: searched }
  await forgetProjectMembers(call, record, searched === 'found')
  return undefined
}

/** Makes a step; answers undefined after the last. */
const step = async (
  call: Call,
  hooks: Hooks,
  entry: StoredEntry,
  progress: Progress,
): Promise<Progress | undefined> => {
  if (entry.kind === 'project' && !progress.record && (await clearFurther(call, entry))) return progress
  if (progress.searchedUpTo !== undefined) return leaveProject(call, entry, progress)
  if (progress.answers) {
    const answers = await redactAnswers(call, progress.answers, (bodies) => purgedAmong(call, bodies))
    if (answers) return { ...progress, answers }
    return entry.kind === 'project' ? { ...progress, searchedUpTo: 0 } : undefined
  }
  return progress.record
    ? { ...progress, record: await purgeRecord(call, hooks, progress.record) }
    : nextRecord(call, hooks, entry, progress)
}

type Purger = Pick<Core, 'hooks' | 'metrics'>

/** So long may the steps of one transaction take together, and so long others have their turn after it. */
const transactionMs = 5
const pauseMs = 5

/** Goes on with an entry that is purged; answers whether it is gone. */
const purgeStep = async (call: Call, { hooks, metrics }: Purger, id: string): Promise<boolean> => {
  const isLeft = await purgeSome(call, hooks, id)
  if (isLeft === false) metrics.countPurged()
  return !isLeft
}

/** Answers whether some is left, or undefined where another was faster. */
const purgeSome = (call: Call, hooks: Hooks, id: string): Promise<boolean | undefined> =>
  changing(call, async (call) => {
    const { db, actor } = call
    const entry = await store.findEntry(db, actor.tenantId, id)
    if (entry?.state !== 'purging') return undefined
    const untilMs = performance.now() + transactionMs
    let progress: Progress | undefined = entry.progress ? (JSON.parse(entry.progress) as Progress) : startOf(entry)
    do progress = await step(call, hooks, entry, progress)
    while (progress && performance.now() < untilMs)
    if (progress) {
      await store.setProgress(db, actor.tenantId, id, 'purging', progress)
      return true
    }
    await notePurged(db, actor.tenantId, entry.lastSequence)
    await hooks.trashPurged(call)
    await store.deleteEntry(db, actor.tenantId, id)
    return false
  })

/** So long a request waits for what it purges; the service goes on with the rest. */
const requestMs = 5_000

const purgeMarked = async (call: Call, purger: Purger): Promise<number> => {
  const untilMs = performance.now() + requestMs
  for (;;) {
    const ids = await store.listPurging(call.db, call.actor.tenantId, 100)
    for (const id of ids) {
      while (!(await purgeStep(call, purger, id))) {
        if (performance.now() > untilMs) return ids.length
        await sleep(pauseMs)
      }
    }
    if (ids.length === 0) return 0
  }
}

const entriesPerStep = 500

const restoring = (id: string): AppError =>
  new AppError('restoring', `Trash entry "${id}" is being restored. Try again shortly.`, { retryAfter: 1 })

/** Purges one entry, or all. What is purged is gone from the trash at once. */
export const purge = async (
  call: Call,
  purger: Purger,
  id: string | undefined,
): Promise<{ purged: number; pending: number }> => {
  const purged = await changingAsAdmin(call, async (call) => {
    const { db, actor, clock } = call
    let count = 0
    if (id === undefined) {
      for (let marked = entriesPerStep; marked === entriesPerStep; count += marked) {
        marked = await store.purgeEntries(db, actor.tenantId, clock() + 1, entriesPerStep)
      }
    } else {
      const entry = await visibleEntry(call, id)
      if (entry.state === 'restoring') throw restoring(id)
      await store.setProgress(db, actor.tenantId, id, 'purging', null)
      count = 1
    }
    await store.noteUnderWay(db, actor.tenantId, 'trash', clock())
    await audit(call, 'trash.purged', { ...(id !== undefined && { subject: id }), details: { entries: count } })
    return count
  })
  const { fence, ...unfenced } = call
  return { purged, pending: await purgeMarked(unfenced, purger) }
}

/** Purges what has been in the trash for its time, and goes on with what is being purged. */
export const purgeWorker = (core: Purger & Pick<Core, 'db' | 'clock'>, keptForMs: number): DueWorker => {
  const { db, clock } = core
  return {
    kind: 'trash',
    name: 'purging the trash',
    delayMs: keptForMs,
    run: async (tenantId) => {
      const call = { db, clock, actor: serviceActor(tenantId), origin: ownOrigin('purgeExpired') }
      await changing(call, async (call) => {
        const entries = await store.purgeEntries(call.db, tenantId, clock() - keptForMs, entriesPerStep)
        if (entries > 0) await audit(call, 'trash.purged', { details: { entries } })
      })
      await runRound(
        await store.listPurging(db, tenantId, itemsPerRound),
        async (id) => ((await purgeStep(call, core, id)) ? undefined : id),
        pauseMs,
      )
    },
    nextDueMs: async (db, tenantId) =>
      (await store.listPurging(db, tenantId, 1)).length > 0 ? clock() - keptForMs : store.findOldestKept(db, tenantId),
  }
}
