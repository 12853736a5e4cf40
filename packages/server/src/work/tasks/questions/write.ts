import { utf8Length } from '../../../base/text.js'
import { markRead } from '../../../changelog/inbox/notify.js'
import { changedFields, maxEventDataLength, type RecordedChange, record, recordAll } from '../../../changelog/record.js'
import { recordName } from '../../../changelog/versions/version.js'
import type { Call } from '../../../operations/call.js'
import type { Question } from './schema.js'
import * as store from './store.js'

/** Announced when a question is no longer open. */
export const questionTopic = (id: string): string => `question:${id}`

export const storedBytesOf = (question: Question): number => utf8Length(JSON.stringify(question))

export const nameOf = ({ taskId, id }: Pick<Question, 'taskId' | 'id'>): string => recordName.question(taskId, id)

const shortened = (question: Partial<Question>): string => {
  const json = JSON.stringify(question)
  if (json.length <= maxEventDataLength) return json
  const { body, options, answer, ...rest } = question
  return JSON.stringify({ ...rest, truncated: true })
}

const eventTypes = { open: 'question.asked', answered: 'question.answered', withdrawn: 'question.withdrawn' } as const

/** A question that was asked (`before` is null) or changed. */
interface QuestionChange {
  before: Question | null
  after: Question
}

const changeOf = ({ before, after }: QuestionChange, projectId: string): RecordedChange => {
  const { version: _, ...previous } = before ? changedFields(before, after) : {}
  return {
    type: eventTypes[after.state],
    // Whoever follows the log finds the task by it.
    subject: nameOf(after),
    about: after.taskId,
    projectId,
    growthBytes: storedBytesOf(after) - (before ? storedBytesOf(before) : 0),
    data: shortened(after),
    ...(before && { previous: shortened(previous) }),
    kept: {
      record: nameOf(after),
      version: after.version,
      beforeVersion: before?.version ?? null,
      before: before && JSON.stringify(before),
    },
  }
}

/** Writes questions of a task with their events. How many are open is the task's to count. */
export const writeQuestions = async (
  call: Call,
  projectId: string,
  changes: readonly QuestionChange[],
): Promise<void> => {
  const { db, actor } = call
  const rows = changes.map(({ before, after }) =>
    before ? store.updateQuestion(actor.tenantId, after) : store.insertQuestion(actor.tenantId, projectId, after),
  )
  for (const { before, after } of changes) {
    if (before?.state !== 'open' || after.state === 'open') continue
    await markRead(call, 'question', nameOf(before))
    db.announce(questionTopic(after.id))
  }
  const recorded = changes.map((change) => changeOf(change, projectId))
  if (recorded.length === 1) return record(call, recorded[0]!, rows)
  await db.runAll(rows)
  await recordAll(call, recorded)
}

/** Withdraws the open questions of a task that is closed. */
export const withdrawOpenQuestions = async (
  call: Call,
  { id, projectId }: { id: string; projectId: string },
): Promise<void> => {
  const open = await store.findOpenQuestions(call.db, call.actor.tenantId, id)
  const changes = open.map(
    (before): QuestionChange => ({
      before,
      after: { ...before, state: 'withdrawn', version: before.version + 1 },
    }),
  )
  await writeQuestions(call, projectId, changes)
}
