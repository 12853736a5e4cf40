import { Type } from 'typebox'
import { AppError } from '../../base/errors.js'
import type { OperationCall } from '../../operations/operation.js'
import { runSteps } from '../../operations/run-operation.js'
import { maxChecks } from '../../tenancy/projects/schema.js'
import { projectNamed } from '../../tenancy/projects/service.js'
import { decideCheck } from '../../work/tasks/checks/operations.js'
import { checkStates, maxEvidenceBytes } from '../../work/tasks/checks/schema.js'
import { renewClaim } from '../../work/tasks/claims/operations.js'
import { createComment } from '../../work/tasks/comments/operations.js'
import { moveTask } from '../../work/tasks/move/operations.js'
import { getTask, updateTask as updateOperation } from '../../work/tasks/operations.js'
import { answerQuestion, getQuestion } from '../../work/tasks/questions/operations.js'
import type { Task, TaskPatch } from '../../work/tasks/schema.js'
import { userRef } from '../references.js'
import { run, runStep } from '../run.js'
import { taskLine } from '../text/task-line.js'
import { timeText } from '../text/text.js'
import { tool } from '../tool.js'
import { fieldArguments, fieldsOf, inList, namingBlockers, orNull } from './task-arguments.js'

const Evidence = Type.String({
  minLength: 1,
  maxLength: maxEvidenceBytes,
  pattern: '\\S',
  patternMessage: 'must not be blank',
})

const assigneeRef = async (call: OperationCall, assignee: string): Promise<string | null> => {
  const named = orNull(assignee)
  return named && userRef(call, named)
}

/** Moves a task to a project unless it is there already. */
const moveUnlessThere = async (
  inside: OperationCall,
  id: string,
  project: string,
  preconditions: { ifMatch?: number[] },
): Promise<Task> => {
  const task = (await runStep(inside, getTask, { taskId: id })).data as Task
  const { id: projectId } = await projectNamed(inside, project, 'project')
  if (task.projectId === projectId) return task
  return (await runStep(inside, moveTask, { taskId: id, move: { projectId }, ...preconditions })).data
}

export const updateTask = tool({
  name: 'update_task',
  title: 'Update task',
  description: 'Change fields of a task; id and claim alone renew the lease',
  annotations: { destructiveHint: true, idempotentHint: true },
  scopes: ['tasks:write'],
  operations: ({ project }) => [...[decideCheck, updateOperation], ...(project === undefined ? [] : [moveTask])],
  input: Type.Object({
    id: Type.String(),
    claim: Type.Optional(Type.String()),
    checks: Type.Optional(
      Type.Array(
        Type.Object(
          {
            id: Type.String(),
            state: Type.Enum([...checkStates]),
            evidence: Type.Optional(Evidence),
          },
          { additionalProperties: false },
        ),
        { minItems: 1, maxItems: maxChecks },
      ),
    ),
    version: Type.Optional(Type.Integer({ minimum: 1, description: 'only at this version' })),
    project: Type.Optional(Type.String({ description: 'moves it' })),
    title: Type.Optional(Type.String()),
    status: Type.Optional(Type.String({ description: 'as in list_tasks' })),
    ...fieldArguments,
    assignee: Type.Optional(Type.String({ description: 'user id, handle or none' })),
    due: Type.Optional(Type.String({ description: 'date or none' })),
    parent: Type.Optional(Type.String({ description: 'task id or none' })),
    block: Type.Optional(Type.Array(Type.String(), { maxItems: 50, description: 'add blockers' })),
    unblock: Type.Optional(Type.Array(Type.String(), { maxItems: 50, description: 'remove blockers' })),
  }),
  run: async (call, args) => {
    const {
      id,
      claim,
      checks = [],
      version,
      project,
      assignee,
      due,
      parent,
      block = [],
      unblock = [],
      ...fields
    } = args
    const patch: TaskPatch = {
      ...fieldsOf(fields),
      ...(assignee !== undefined && { assigneeId: await assigneeRef(call, assignee) }),
      ...(due !== undefined && { dueDate: orNull(due) }),
      ...(parent !== undefined && { parentId: orNull(parent) }),
    }
    const isPatch = Object.keys(patch).length > 0 || block.length > 0 || unblock.length > 0
    if (!isPatch && checks.length === 0 && project === undefined) {
      if (claim === undefined) {
        const message = 'Invalid arguments: nothing to update; set a field, or a claim to renew.'
        throw new AppError('invalid_input', message)
      }
      const { data: renewed } = await run(call, renewClaim, { taskId: id, claim })
      return `${await taskLine(call, renewed)}\nLease renewed until ${timeText(renewed.claim!.expiresAt, call.clock())}.`
    }
    const task = await runSteps(call, 'tasks:write', claim, async (inside) => {
      let atVersion: { ifMatch?: number[] } = version === undefined ? {} : { ifMatch: [version] }
      let last: Task | undefined
      for (const [index, { id: checkId, ...decision }] of checks.entries()) {
        const decided = runStep(inside, decideCheck, { taskId: id, checkId, decision, ...atVersion })
        last = (await decided.catch(inList(`checks.${index}.`))).data
        atVersion = {}
      }
      if (project !== undefined) {
        last = await moveUnlessThere(inside, id, project, atVersion)
        atVersion = {}
      }
      if (last && !isPatch) return last
      if (block.length > 0 || unblock.length > 0) {
        const { blockedBy } = (await runStep(inside, getTask, { taskId: id })).data as Task
        patch.blockedBy = [...new Set([...blockedBy, ...block])].filter((blocker) => !unblock.includes(blocker))
      }
      const updated = runStep(inside, updateOperation, { taskId: id, patch, ...atVersion })
      return (await updated.catch(namingBlockers('block', block, patch.blockedBy ?? []))).data
    })
    return `${await taskLine(call, task)} version ${task.version}`
  },
})

const isQuestionId = (id: unknown): boolean => typeof id === 'string' && id.startsWith('qst_')

/** Answers with a text or, where there are options, with one of them in the first line and what else there is to say below. */
const answer = async (call: OperationCall, questionId: string, text: string, claim: string | undefined) => {
  const { options, taskId } = (await run(call, getQuestion, { questionId })).data
  const [first = '', ...rest] = text.trim().split('\n')
  const body = rest.join('\n').trim()
  const option = options?.find((each) => each.toLowerCase() === first.trim().toLowerCase()) ?? first
  const answer = options ? { option, ...(body !== '' && { body }) } : { body: text }
  await run(call, answerQuestion, { questionId, answer }, claim)
  const task = (await run(call, getTask, { taskId })).data as Task
  return `${questionId} answered.\n${await taskLine(call, task)}`
}

export const addComment = tool({
  name: 'add_comment',
  title: 'Add comment',
  description: 'Comment on a task or answer a question',
  annotations: { destructiveHint: false },
  scopes: ['tasks:write'],
  operations: ({ id }) => [isQuestionId(id) ? answerQuestion : createComment],
  input: Type.Object({
    id: Type.String(),
    text: Type.String({ minLength: 1 }),
    claim: Type.Optional(Type.String()),
  }),
  run: async (call, { id, text, claim }) => {
    if (isQuestionId(id)) return answer(call, id, text, claim)
    const { data } = await run(call, createComment, { taskId: id, comment: { body: text } }, claim)
    return `${data.id} added to ${id}`
  },
})
