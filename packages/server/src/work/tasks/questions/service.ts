import { isoTime } from '../../../base/clock.js'
import { AppError, type ErrorDetail, invalid, notFound } from '../../../base/errors.js'
import { newTimedId } from '../../../base/ids.js'
import type { Json } from '../../../base/json.js'
import { isBlank, isStorable, utf8Length } from '../../../base/text.js'
import { notify, retract } from '../../../changelog/inbox/notify.js'
import { countStoredBytes } from '../../../limits/quotas/stored-bytes.js'
import { actorRef, holdsScope, requireProject } from '../../../operations/actor.js'
import { type Call, changing } from '../../../operations/call.js'
import type { ProjectContents } from '../../../tenancy/projects/service.js'
import { firstOf } from '../../../tenancy/projects/statuses.js'
import { notifyMentions } from '../../../tenancy/users/mentions.js'
import { findUser, isHuman, userNamed } from '../../../tenancy/users/service.js'
import { notVerifier } from '../checks/rules.js'
import { ended } from '../claims/rules.js'
import { isClosed } from '../queue/ready.js'
import type { Task } from '../schema.js'
import { findTask, type StoredTask, touchTask } from '../service.js'
import { statusBefore } from '../statuses/service.js'
import { writeOpenQuestions } from '../write/derived.js'
import { writeTask } from '../write/write.js'
import { maxBodyBytes, maxOpenQuestions, type NewAnswer, type NewQuestion, type Question } from './schema.js'
import * as store from './store.js'
import { nameOf, storedBytesOf, writeQuestions } from './write.js'

const textProblems = (path: string, text: string | undefined): ErrorDetail[] => {
  if (text === undefined) return []
  if (isBlank(text)) return [{ path, message: 'must not be blank' }]
  if (!isStorable(text)) return [{ path, message: 'must be valid Unicode text without NUL' }]
  return utf8Length(text) > maxBodyBytes ? [{ path, message: 'must have at most 8 KiB of UTF-8' }] : []
}

const optionProblems = (options: readonly string[]): ErrorDetail[] =>
  options.flatMap((option, at) => {
    const path = `options.${at}`
    return options.indexOf(option) < at ? [{ path, message: 'is repeated' }] : textProblems(path, option)
  })

const refuse = (problems: readonly ErrorDetail[]): void => {
  if (problems.length > 0) throw invalid(...problems)
}

const questionNotFound = (id: string): AppError => notFound('question', id)

export const getQuestion = async (call: Call, id: string): Promise<Question> => {
  const found = await store.findQuestion(call.db, call.actor.tenantId, id)
  if (!found) throw questionNotFound(id)
  requireProject(call, found.project_id, () => questionNotFound(id))
  return JSON.parse(found.doc) as Question
}

/** A question of a task that is there, as its next version will be kept. */
export const currentQuestionVersion = async (call: Call, id: string): Promise<Json<Question> | undefined> =>
  (await store.findQuestion(call.db, call.actor.tenantId, id))?.doc

const closed = ({ doc: { id, status } }: StoredTask): AppError =>
  new AppError('closed', `${id} is ${status}, so no question about it can be open. Set its status to todo first.`)

/** Refuses one more open question of a task. */
const requireRoom = (task: StoredTask): void => {
  if (isClosed(task.doc.statusCategory)) throw closed(task)
  if (task.counts.openQuestions < maxOpenQuestions) return
  throw new AppError(
    'limit',
    `${task.doc.id} already has ${maxOpenQuestions} open questions. Wait for answers, or withdraw one.`,
  )
}

/** Ends the claim that the question is asked under; the attempt does not count. */
const releaseToAsk = (call: Call, task: StoredTask): Promise<StoredTask> => {
  const { doc, claims, counts } = task
  const attempts = Math.max(0, doc.attempts - 1)
  const after: StoredTask = {
    ...task,
    claims: ended(claims),
    counts: { ...counts, openQuestions: counts.openQuestions + 1 },
    doc: {
      ...doc,
      ...firstOf(task.statuses, 'todo'),
      attempts,
      version: doc.version + 1,
      updatedAt: isoTime(call.clock()),
    },
  }
  const previous: Partial<Task> = {
    ...statusBefore(doc, after.doc),
    ...(attempts !== doc.attempts && { attempts: doc.attempts }),
    claim: claims.current,
  }
  return writeTask(call, task, after, { type: 'task.released', previous })
}

/**
 * Tells the user who is asked and those who are mentioned, or the one whose question is answered. A question that is open
 * again is told of as when it was asked, whoever opens it, and its answer no longer.
 */
const notifyOf = async (call: Call, { doc }: StoredTask, before: Question | null, question: Question) => {
  const { answer, createdBy, to } = question
  const about = { taskId: doc.id, projectId: doc.projectId, title: doc.title, cause: nameOf(question) }
  if (question.state === 'open') {
    if (before) await retract(call, ['question', 'answer'], about.cause)
    const asking = { ...call, actor: { ...call.actor, ...createdBy } }
    if (to !== null) await notify(asking, { ...about, kind: 'question', userIds: [to], text: question.body })
  }
  if (before === null) {
    const toldUserIds = to === null ? [] : [to]
    await notifyMentions(call, { ...about, before: '', after: question.body, toldUserIds })
  }
  if (before?.state !== 'answered' && answer !== null) {
    const text = [answer.option, answer.body].filter((part) => part !== null).join(': ')
    await notify(call, { ...about, kind: 'answer', userIds: createdBy.userId === null ? [] : [createdBy.userId], text })
  }
}

/** Puts a question into another state, with all that follows from it. */
const change = async (
  call: Call,
  task: StoredTask,
  before: Question,
  fields: Partial<Pick<Question, 'state' | 'answer' | 'to'>>,
): Promise<Question> => {
  const after: Question = { ...before, ...fields, version: before.version + 1 }
  const step = Number(after.state === 'open') - Number(before.state === 'open')
  if (step > 0) requireRoom(task)
  if (step !== 0) await writeOpenQuestions(call, task, task.counts.openQuestions + step)
  await writeQuestions(call, task.doc.projectId, [{ before, after }])
  await notifyOf(call, task, before, after)
  return after
}

/** Asks about a task. The claim that it is asked under ends with it, unless it is to be kept. */
export const askQuestion = async (call: Call, taskId: string, input: NewQuestion): Promise<Question> => {
  const { body, to = null, keepClaim = false } = input
  const options = input.options?.map((option) => option.trim()) ?? null
  refuse([...textProblems('body', body), ...optionProblems(options ?? [])])
  return changing(call, async (call) => {
    const task = await touchTask(call, taskId)
    if (to !== null) await userNamed(call, to, 'to')
    requireRoom(task)
    const nowMs = call.clock()
    const question: Question = {
      id: newTimedId('qst', nowMs),
      taskId,
      body,
      options,
      to,
      state: 'open',
      answer: null,
      version: 1,
      createdAt: isoTime(nowMs),
      createdBy: actorRef(call.actor),
    }
    const isUnderClaim = call.claim !== undefined && task.claims.current?.token === call.claim
    if (isUnderClaim && !keepClaim) await releaseToAsk(call, task)
    else await writeOpenQuestions(call, task, task.counts.openQuestions + 1)
    await writeQuestions(call, task.doc.projectId, [{ before: null, after: question }])
    await notifyOf(call, task, null, question)
    return question
  })
}

/** A question to a person is answered by that person, not by an agent with their key. */
const requireAnswerer = async (call: Call, { to }: Question): Promise<void> => {
  const { actor, origin } = call
  if (holdsScope(actor, 'admin')) return
  if (to === null) {
    if (await isHuman(call)) return
    throw notVerifier(
      'Only a person can answer this question: with a key of a user whose kind is human, or in the web console, not through MCP. An admin key can answer it too.',
    )
  }
  const user = await findUser(call, to)
  if (actor.userId === to && (user?.kind === 'agent' || origin.via !== 'mcp')) return
  const name = user ? `${JSON.stringify(user.name)} (${to})` : to
  throw notVerifier(
    `This question is asked to ${name}: only they, with a key or session of theirs, or an admin key can answer it.`,
  )
}

const requireOpen = ({ id, state, answer }: Question): void => {
  if (state === 'open') return
  throw state === 'answered'
    ? new AppError('answered', `Question "${id}" was answered at ${answer?.at}: the first answer counts.`)
    : new AppError('withdrawn', `Question "${id}" was withdrawn. Ask again if an answer is still needed.`)
}

const answerProblems = ({ options }: Question, { option, body }: NewAnswer): ErrorDetail[] => {
  if (options === null) {
    if (option !== undefined) return [{ path: 'option', message: 'the question has no options; answer with body' }]
    return body === undefined ? [{ path: 'body', message: 'is required: the question has no options' }] : []
  }
  if (option !== undefined && options.includes(option)) return []
  return [{ path: 'option', message: `must be one of ${options.map((each) => JSON.stringify(each)).join(', ')}` }]
}

export const answerQuestion = async (call: Call, id: string, input: NewAnswer): Promise<Question> => {
  const { body } = input
  const option = input.option?.trim()
  if (body === undefined && option === undefined) throw invalid({ path: 'option', message: 'or body is required' })
  refuse(textProblems('body', body))
  return changing(call, async (call) => {
    const question = await getQuestion(call, id)
    await requireAnswerer(call, question)
    requireOpen(question)
    refuse(answerProblems(question, { ...(body !== undefined && { body }), ...(option !== undefined && { option }) }))
    const answer = { option: option ?? null, body: body ?? null, by: actorRef(call.actor), at: isoTime(call.clock()) }
    return change(call, await touchTask(call, question.taskId), question, { state: 'answered', answer })
  })
}

export const withdrawQuestion = (call: Call, id: string): Promise<Question> =>
  changing(call, async (call) => {
    const question = await getQuestion(call, id)
    if (question.createdBy.keyId !== call.actor.keyId && !holdsScope(call.actor, 'admin')) {
      throw notVerifier('Only the key that asked a question, or an admin key, can withdraw it.')
    }
    requireOpen(question)
    return change(call, await touchTask(call, question.taskId), question, { state: 'withdrawn' })
  })

/** Puts a question back as it was; a user who is gone is not asked again. */
export const revertQuestion = async (
  call: Call,
  id: string,
  { state, answer, to }: Pick<Question, 'state' | 'answer'> & Partial<Pick<Question, 'to'>>,
): Promise<void> => {
  const question = await getQuestion(call, id)
  const asked = to && (await findUser(call, to))
  const wanted = { state, answer, to: to === undefined ? question.to : asked ? asked.id : null }
  const isSame = JSON.stringify({ ...question, ...wanted }) === JSON.stringify(question)
  if (!isSame) await change(call, await touchTask(call, question.taskId), question, wanted)
}

/** Lets any person answer up to `count` questions to a user who is being deleted; answers how many. */
export const readdressQuestions = async (call: Call, userId: string, count: number): Promise<number> => {
  const { db, actor } = call
  const questions = await store.findQuestionsTo(db, actor.tenantId, userId, count)
  for (const question of questions) {
    const isShown = question.state === 'open' && (await currentQuestionVersion(call, question.id)) !== undefined
    // Whom a closed question was asked to is of no interest to those who follow the log.
    if (isShown) await change(call, await findTask(call, question.taskId), question, { to: null })
    else
      await db.runAll([store.updateQuestion(actor.tenantId, { ...question, to: null, version: question.version + 1 })])
  }
  return questions.length
}

export const projectQuestions: ProjectContents = {
  // Questions are part of their tasks, which are asked for themselves.
  hasAny: async () => false,
  deleteSome: async (call, { id: projectId }, count) => {
    const { tenantId } = call.actor
    const deleted = await store.deleteProjectQuestions(call.db, tenantId, projectId, count)
    const questions = deleted.map((json) => JSON.parse(json) as Question)
    await countStoredBytes(call.db, tenantId, -questions.reduce((sum, question) => sum + storedBytesOf(question), 0))
    return questions.map((question, at) => ({
      type: 'question.deleted',
      record: nameOf(question),
      projectId,
      version: question.version,
      beforeVersion: question.version,
      before: deleted[at]!,
    }))
  },
}
