import { Type } from 'typebox'
import { isoTime } from '../../base/clock.js'
import { AppError, invalid } from '../../base/errors.js'
import type { ActorRef } from '../../operations/actor.js'
import type { OperationCall } from '../../operations/operation.js'
import { currentActor, inSlot, runSteps } from '../../operations/run-operation.js'
import { type HistoryRow, newestUnderClaim } from '../../recovery/history/selection.js'
import { findStatusChange } from '../../recovery/history/states.js'
import { contextBeside } from '../../work/context/service.js'
import { claimTask as claimTaskOperation, nextTask, releaseClaim } from '../../work/tasks/claims/operations.js'
import {
  defaultLeaseSeconds,
  maxContextTokens,
  maxLeaseSeconds,
  maxWaitSeconds,
  minContextTokens,
  type NextRequest,
} from '../../work/tasks/claims/schema.js'
import { getTask, updateTask } from '../../work/tasks/operations.js'
import type { Task } from '../../work/tasks/schema.js'
import { run, runStep } from '../run.js'
import { contextText, textForm } from '../text/context.js'
import { describeTask } from '../text/task.js'
import { taskLine } from '../text/task-line.js'
import { asData, excerpt, timeText, word } from '../text/text.js'
import { tool } from '../tool.js'
import { noneReadyText } from './none-ready.js'
import { namingBlockers } from './task-arguments.js'

const defaultContextTokens = 1_200

export const claimTask = tool({
  name: 'claim_task',
  title: 'Claim task',
  description: 'Take a task to work on: the next ready one, or the one with this id',
  annotations: { destructiveHint: false },
  scopes: ['tasks:write'],
  operations: [claimTaskOperation],
  isWaiting: ({ id, wait }) => id === undefined && typeof wait === 'number' && wait > 0,
  input: Type.Object({
    id: Type.Optional(Type.String()),
    project: Type.Optional(Type.String()),
    labels: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 50, description: 'any of' })),
    minutes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxLeaseSeconds / 60,
        description: `lease, ${defaultLeaseSeconds / 60} by default`,
      }),
    ),
    wait: Type.Optional(
      Type.Integer({ minimum: 0, maximum: maxWaitSeconds, description: `seconds, up to ${maxWaitSeconds}` }),
    ),
    takeover: Type.Optional(Type.Boolean({ description: 'replace a claim of your own key' })),
    context: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: maxContextTokens,
        description: `tokens, ${defaultContextTokens} by default`,
      }),
    ),
  }),
  run: async (call, { id, project, labels, minutes, wait, takeover, context = defaultContextTokens }) => {
    if (context !== 0 && context < minContextTokens) {
      throw invalid({ path: 'context', message: `must be 0, or at least ${minContextTokens}` })
    }
    const lease = minutes === undefined ? {} : { leaseSeconds: minutes * 60 }
    if (id === undefined) {
      if (takeover) throw invalid({ path: 'takeover', message: 'needs the id of the task' })
      return claimNext(
        call,
        {
          ...(project !== undefined && { projectId: project }),
          ...(labels && { label: labels }),
          ...(wait !== undefined && { waitSeconds: wait }),
          ...lease,
        },
        context,
      )
    }
    for (const [path, value] of Object.entries({ project, labels, wait })) {
      if (value !== undefined) throw invalid({ path, message: 'cannot be combined with id' })
    }
    const request = { ...lease, ...(takeover !== undefined && { takeover }) }
    const { data } = await run(call, claimTaskOperation, { taskId: id, request })
    return claimedText(call, data, context)
  },
})

/** What is known around a task, in so many tokens. */
const briefingOf = async (
  call: OperationCall,
  claimed: { id: string; token: string },
  tokens: number,
): Promise<string[]> => {
  const context = tokens > 0 ? await contextBeside(call, claimed, tokens, textForm) : null
  const text = context ? contextText(context) : ''
  return text === '' ? [] : ['what is known:', asData(text)]
}

const claimedText = async (call: OperationCall, task: Task, contextTokens: number): Promise<string> => {
  const { id, claim } = task
  const { token, expiresAt } = claim!
  const until = timeText(expiresAt, call.clock())
  return [
    `You hold claim ${token} until ${until}. Send it as claim with each write; end with finish_task.`,
    await describeTask(call, task),
    ...(await briefingOf(call, { id, token }, contextTokens)),
  ].join('\n')
}

/** Claims the next ready task, or waits for one. */
const claimNext = async (call: OperationCall, request: NextRequest, contextTokens: number): Promise<string> => {
  const { data, message = '' } = await run(call, nextTask, { request })
  // The key may have changed while the call waited.
  const current = request.waitSeconds ? { ...call, actor: await currentActor(call, nextTask.scope) } : call
  if (!data) return noneReadyText(message, call.clock())
  const say = (call: OperationCall) => claimedText(call, data, contextTokens)
  return request.waitSeconds ? inSlot(current, say) : say(current)
}

const statusAfter = { done: 'done', review: 'in_review', release: 'todo', blocked: 'todo' } as const
const outcomes = Object.keys(statusAfter) as (keyof typeof statusAfter)[]

const pastOf = {
  done: 'done',
  review: 'handed in for review',
  release: 'released',
  blocked: 'released as blocked',
} as const

const readTask = async (call: OperationCall, id: string): Promise<Task | undefined> => {
  try {
    return (await run(call, getTask, { taskId: id })).data as Task
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

/** A release and its comment are the last changes under a claim. */
const lastChanges = 2

/** Answers a call that is repeated after it succeeded; otherwise throws `lost`, with who finished the task. */
const alreadyFinished = async (
  call: OperationCall,
  { id, claim, outcome }: { id: string; claim: string; outcome: keyof typeof statusAfter },
  lost: AppError,
): Promise<string> => {
  const task = await readTask(call, id)
  if (!task || task.claim || !claim.startsWith(`${id}.`)) throw lost
  const changes = await newestUnderClaim(call, claim, lastChanges)
  const end = changes.find(({ type, key_id }) => type === 'task.released' && key_id === call.actor.keyId)
  const last = await findStatusChange(call, task)
  const timeOf = ({ created_at }: HistoryRow): string => timeText(isoTime(created_at), call.clock())
  if (end && end.event_id === last?.event_id && task.statusCategory === statusAfter[outcome]) {
    return `${id} was already ${pastOf[outcome]} by you at ${timeOf(end)}. Nothing was changed.\n${await taskLine(call, task)}`
  }
  const message = end
    ? `Claim ${claim} was already ended by you at ${timeOf(end)}, so nothing was changed. ${id} is ${task.status} now.`
    : lost.message
  const isOpen = task.statusCategory === 'todo' || task.statusCategory === 'in_progress'
  if (isOpen || !last || end?.event_id === last.event_id) throw lost.with({}, message)
  const { keyName } = JSON.parse(last.actor) as ActorRef
  const by = `${word(excerpt(keyName, 40))} set it to ${task.status} at ${timeOf(last)}.`
  throw lost.with({}, `${message} ${by}`)
}

export const finishTask = tool({
  name: 'finish_task',
  title: 'Finish task',
  description: 'End your claim and say what became of the task',
  annotations: { destructiveHint: false },
  scopes: ['tasks:write'],
  operations: [releaseClaim],
  input: Type.Object({
    id: Type.String(),
    claim: Type.String(),
    outcome: Type.Enum(outcomes, { description: 'release hands it back' }),
    summary: Type.String({ minLength: 1, description: 'becomes a comment' }),
    result: Type.Optional(Type.String()),
    blocked_by: Type.Optional(Type.Array(Type.String(), { maxItems: 50, description: 'task ids, for blocked' })),
  }),
  run: async (call, { id, claim, outcome, summary, result, blocked_by: blockers = [] }) => {
    if (outcome === 'blocked' && blockers.length === 0) {
      throw invalid({ path: 'blocked_by', message: 'is required for the outcome blocked; create_task makes a blocker' })
    }
    if (outcome !== 'blocked' && blockers.length > 0) {
      throw invalid({ path: 'blocked_by', message: 'is for the outcome blocked' })
    }
    const request = {
      // Sends no status for a task that goes back to `todo`, because its project decides which status it gets.
      ...(statusAfter[outcome] !== 'todo' && { status: statusAfter[outcome] }),
      comment: summary,
      ...(result !== undefined && { result }),
    }
    const finish = () =>
      runSteps(call, 'tasks:write', undefined, async (inside) => {
        if (blockers.length > 0) {
          const task = (await runStep(inside, getTask, { taskId: id })).data as Task
          const blockedBy = [...new Set([...task.blockedBy, ...blockers])]
          await runStep(inside, updateTask, { taskId: id, patch: { blockedBy } }).catch(
            namingBlockers('blocked_by', blockers, blockedBy),
          )
        }
        return runStep(inside, releaseClaim, { taskId: id, claim, request })
      })
    try {
      return await taskLine(call, (await finish()).data)
    } catch (error) {
      if (!(error instanceof AppError) || error.reason !== 'claim_lost') throw error
      return alreadyFinished(call, { id, claim, outcome }, error)
    }
  },
})
