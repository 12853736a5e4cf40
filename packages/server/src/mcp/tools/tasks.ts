import { type Static, type TSchema, Type } from 'typebox'
import { AppError, invalid } from '../../base/errors.js'
import type { Preconditions } from '../../base/versions.js'
import type { Call } from '../../operations/call.js'
import { changing } from '../../operations/call.js'
import { maxChecks } from '../../tenancy/projects/schema.js'
import { projectNamed } from '../../tenancy/projects/service.js'
import { categories } from '../../tenancy/projects/statuses.js'
import { briefTasks } from '../../work/tasks/brief.js'
import { decideCheck as decideCheckOperation } from '../../work/tasks/checks/operations.js'
import { checkStates, maxEvidenceBytes } from '../../work/tasks/checks/schema.js'
import { decideCheck } from '../../work/tasks/checks/service.js'
import { lateFenceOf, renewClaim } from '../../work/tasks/claims/service.js'
import { createComment } from '../../work/tasks/comments/operations.js'
import * as comments from '../../work/tasks/comments/service.js'
import type { TaskFilterInput } from '../../work/tasks/lists/filters.js'
import { listTasks as list, type TaskPageInfo } from '../../work/tasks/lists/list.js'
import { moveTask } from '../../work/tasks/move/move.js'
import { moveTask as moveOperation } from '../../work/tasks/move/operations.js'
import * as operations from '../../work/tasks/operations.js'
import { answerQuestion } from '../../work/tasks/questions/operations.js'
import * as questions from '../../work/tasks/questions/service.js'
import type { Task, TaskPatch } from '../../work/tasks/schema.js'
import * as tasks from '../../work/tasks/service.js'
import { newTask } from '../../work/tasks/structure/cycle.js'
import { countFitting, listBudget } from '../budget.js'
import { taskRef, userRef } from '../references.js'
import { wantedChecks } from '../text/checks.js'
import { questionsToActor } from '../text/questions.js'
import { describeRest, describeTask } from '../text/task.js'
import { taskLine, taskLines } from '../text/task-line.js'
import { parsed, timeText, totalText, word } from '../text/text.js'
import { tool } from '../tool.js'
import { noneReadyText } from './none-ready.js'
import { foundTasks, searchPage } from './search-page.js'
import { fieldArguments, fieldsOf, namingBlockers, orNull } from './task-arguments.js'

/** The same call, whose changes are made only under a claim; one that expired and that nobody took is renewed. */
export const underClaim = <C extends Call>(call: C, claim: string | undefined): C =>
  claim === undefined ? call : { ...call, fence: lateFenceOf(claim) }

/** Of the tokens of a list, for the questions that come with it. */
const questionBudget = 300

const Labels = Type.Array(Type.String(), { maxItems: 50 })
const TaskIds = Type.Array(Type.String(), { maxItems: 50 })
const Cursor = Type.String({ minLength: 1, maxLength: 4_096 })
const Evidence = Type.String({
  minLength: 1,
  maxLength: maxEvidenceBytes,
  pattern: '\\S',
  patternMessage: 'must not be blank',
})

export const getTask = tool({
  name: 'get_task',
  title: 'Get task',
  description: 'Read a task with its comments, blockers, subtasks, claim and the notes it names',
  annotations: { readOnlyHint: true },
  scopes: ['tasks:read'],
  operations: [operations.getTask],
  input: Type.Object({
    id: Type.String(),
    from_line: Type.Optional(Type.Integer({ minimum: 1 })),
    cursor: Type.Optional(Cursor),
  }),
  run: async (call, { id, from_line: fromLine, cursor }) => {
    const { json } = await tasks.getTask(call, id)
    if (fromLine === undefined && cursor === undefined) return describeTask(call, json)
    return describeRest(call, json, { cursor, fromLine })
  },
})

const ListArguments = Type.Object({
  project: Type.Optional(Type.String()),
  status: Type.Optional(Type.String({ description: `${categories.join(', ')} or the project's own` })),
  ready: Type.Optional(Type.Boolean({ description: 'claimable now' })),
  mine: Type.Optional(Type.Boolean({ description: 'claimed by your key' })),
  verify: Type.Optional(Type.Boolean({ description: 'with checks to decide' })),
  assignee: Type.Optional(Type.String()),
  labels: Type.Optional(Labels),
  parent: Type.Optional(Type.String()),
  query: Type.Optional(Type.String()),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
  cursor: Type.Optional(Cursor),
})

/** `me` and `none` are for the list to tell. */
const listedAssignee = (call: Call, assignee: string): Promise<string> | string =>
  assignee === 'me' || assignee === 'none' ? assignee : userRef(call, assignee)

const filterOf = ({
  project,
  status,
  ready,
  mine,
  verify,
  labels,
  parent,
}: Static<typeof ListArguments>): TaskFilterInput => ({
  ...(project !== undefined && { projectId: [project] }),
  ...(status && { status: [status] }),
  ...(ready !== undefined && { ready }),
  ...(mine && { claimedBy: 'me' }),
  ...(verify && { canVerify: true }),
  ...(labels && labels.length > 0 && { label: labels }),
  ...(parent !== undefined && { parentId: parent }),
})

/** Whether nothing narrows the list that claim_task does not know. */
const isOnlyReady = ({ status, mine, verify, assignee, parent, cursor }: Static<typeof ListArguments>): boolean =>
  [status, mine, verify, assignee, parent, cursor].every((value) => value === undefined)

const noneReady = (call: Call, { project, labels }: Static<typeof ListArguments>): Promise<string> =>
  noneReadyText(call, {
    ...(project !== undefined && { projectId: project }),
    ...(labels?.length && { label: labels }),
  })

const defaultLimit = 20

export const listTasks = tool({
  name: 'list_tasks',
  title: 'List tasks',
  description: 'List tasks of any status, newest first; ready ones as claim_task takes them',
  annotations: { readOnlyHint: true },
  scopes: ['tasks:read'],
  operations: ({ query }) => [query === undefined ? operations.listTasks : operations.searchTasks],
  input: ListArguments,
  run: async (call, args) => {
    const { query, limit = defaultLimit, cursor } = args
    const { assignee } = args
    const filter: TaskFilterInput = {
      ...filterOf(args),
      ...(assignee !== undefined && { assignee: [await listedAssignee(call, assignee)] }),
    }
    if (query !== undefined) {
      const searched = { q: query, ...filter }
      return foundTasks(call, searched, searchPage(call, searched, { cursor, limit, budget: listBudget }))
    }
    const read = (limit: number) => list(call, { ...filter, limit, ...(cursor !== undefined && { cursor }) })
    let page = await read(limit)
    const moreOf = ({ nextCursor }: TaskPageInfo): string => (nextCursor === null ? '' : `, more: cursor ${nextCursor}`)
    let lines = await taskLines(call, briefTasks(page.tasks), moreOf(page.pagination))
    const count = countFitting(lines, listBudget)
    if (count < lines.length) {
      page = await read(count)
      lines = lines.slice(0, count)
    }
    const asked = args.verify && cursor === undefined ? await questionsToActor(call, args.project, questionBudget) : []
    if (lines.length === 0) {
      return args.ready && isOnlyReady(args) ? noneReady(call, args) : ['No tasks match.', ...asked].join('\n')
    }
    const { pagination } = cursor === undefined ? page : await list(call, { ...filter, limit: 1 })
    return [...lines, `${lines.length} of ${totalText(pagination)}${moreOf(page.pagination)}`, ...asked].join('\n')
  },
})

const structureFields = {
  parent: Type.Optional(Type.String()),
  blocked_by: Type.Optional(TaskIds),
}
const checksArgument = (options: object) =>
  Type.Optional(Type.Array(Type.String(), { maxItems: maxChecks, ...options }))
/** The arguments of create_task for a single task, which its schema need not list twice. */
const asForOne: typeof fieldArguments = Object.fromEntries(
  Object.entries<TSchema>(fieldArguments).map(([name, schema]) => [
    name,
    name === 'description' ? schema : Type.Optional({ ...schema, isUnlisted: true }),
  ]),
)
const PlannedTask = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    title: Type.String(),
    ...asForOne,
    ...structureFields,
    checks: checksArgument({ isUnlisted: true }),
  },
  { additionalProperties: false },
)
type PlannedTask = Static<typeof PlannedTask>

const maxPlanned = 100

/** What errors call the tasks of a plan: nothing of it is created then, so their ids are those of other tasks later. */
const inPlan =
  (names: ReadonlyMap<string, string>, own: string) =>
  (error: unknown): never => {
    if (!(error instanceof AppError) || error.extras.details) throw error
    const message = error.message
      .replaceAll(/\b[A-Z][A-Z0-9]*-\d+\b/g, (id) => names.get(id) ?? id)
      .replaceAll(new RegExp(newTask, 'gi'), () => own)
    throw new AppError(error.code, message, error.extras)
  }

/** Creates the tasks of a plan in their order; each may refer to those before it by their names. */
const createPlan = async (call: Call, project: string, plan: readonly PlannedTask[]): Promise<Task[]> => {
  const ids = new Map<string, string>()
  const idOf = (name: string): string => ids.get(name) ?? taskRef(name)
  const names = new Map<string, string>()
  const created: Task[] = []
  const placeOf = (index: number): string => (plan.length === 1 ? '' : `tasks.${index}.`)
  const nameOf = (index: number): string => {
    const { name } = plan[index]!
    if (name !== undefined) return word(name)
    return plan.length === 1 ? newTask : `tasks.${index}`
  }
  for (const [index, { name, title, parent, blocked_by: blockers, checks, ...fields }] of plan.entries()) {
    if (name !== undefined && ids.has(name)) {
      throw invalid({ path: `tasks.${index}.name`, message: 'is the name of an earlier task' })
    }
    for (const named of [parent, ...(blockers ?? [])]) {
      if (named === undefined || ids.has(named) || !plan.some((each) => each.name === named)) continue
      throw invalid({ path: `tasks.${index}`, message: `refers to "${named}", which must come before it` })
    }
    const { json, id } = await tasks
      .createTask(call, {
        projectId: project,
        ...fieldsOf(fields),
        title,
        ...(parent !== undefined && { parentId: idOf(parent) }),
        ...(blockers && { blockedBy: blockers.map(idOf) }),
        ...(checks && { checks: wantedChecks(checks, `${placeOf(index)}checks`) }),
      })
      .catch(inList(placeOf(index)))
      .catch(inPlan(names, nameOf(index)))
    if (name !== undefined) ids.set(name, id)
    names.set(id, nameOf(index))
    created.push(parsed(json))
  }
  return created
}

/** Names the place in a list that an error is about. */
const inList =
  (prefix: string) =>
  (error: unknown): never => {
    if (!(error instanceof AppError) || !error.extras.details) throw error
    const details = error.extras.details.map(({ path, message }) => ({ path: `${prefix}${path}`, message }))
    throw new AppError(error.code, error.message, { ...error.extras, details })
  }

export const createTask = tool({
  name: 'create_task',
  title: 'Create tasks',
  description: 'Create a task, or with tasks a whole plan in one step',
  annotations: { destructiveHint: false },
  scopes: ['tasks:write'],
  operations: ({ tasks }) =>
    Array.isArray(tasks) ? tasks.slice(0, maxPlanned).map(() => operations.createTask) : [operations.createTask],
  input: Type.Object({
    project: Type.String(),
    title: Type.Optional(Type.String()),
    ...fieldArguments,
    ...structureFields,
    checks: checksArgument({ description: 'must hold; a leading other: or human: says who decides' }),
    tasks: Type.Optional(
      Type.Array(PlannedTask, {
        minItems: 1,
        maxItems: maxPlanned,
        description: 'fields as above; parent and blocked_by take names of earlier ones',
      }),
    ),
  }),
  run: async (call, { project, tasks: plan, ...single }) => {
    if (plan) {
      const [extra] = Object.keys(single)
      if (extra !== undefined) throw invalid({ path: extra, message: 'cannot be combined with tasks' })
    }
    const { title } = single
    if (!plan && title === undefined) throw invalid({ path: 'title', message: 'is required' })
    const planned = plan ?? [{ ...single, title: title! }]
    const created = await changing(call, (call) => createPlan(call, project, planned))
    const lines = (await taskLines(call, created)).map((line, index) => {
      const name = plan?.[index]?.name
      return name === undefined ? line : `${JSON.stringify(name)}: ${line}`
    })
    const count = countFitting(lines, listBudget)
    const others = created.slice(count).map(({ id }) => id)
    const rest = others.length === 0 ? [] : [`and in the order of the plan: ${others.join(' ')}`]
    return [...lines.slice(0, count), ...rest].join('\n')
  },
})

const assigneeRef = async (call: Call, assignee: string): Promise<string | null> => {
  const named = orNull(assignee)
  return named && userRef(call, named)
}

/** Moves a task to a project; one that is there stays as it is. */
const moveUnlessThere = async (call: Call, id: string, project: string, preconditions: Preconditions) => {
  const { projectId } = parsed<Task>((await tasks.getTask(call, id)).json)
  const { id: wantedId } = await projectNamed(call, project, 'project')
  return projectId === wantedId ? tasks.getTask(call, id) : moveTask(call, id, wantedId, preconditions)
}

export const updateTask = tool({
  name: 'update_task',
  title: 'Update task',
  description: 'Change fields of a task; id and claim alone renew the lease',
  annotations: { destructiveHint: true, idempotentHint: true },
  scopes: ['tasks:write'],
  operations: ({ project }) => [
    ...[decideCheckOperation, operations.updateTask],
    ...(project === undefined ? [] : [moveOperation]),
  ],
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
        throw new AppError('VALIDATION_ERROR', message)
      }
      const renewed = parsed<Task>((await renewClaim(call, id, claim, undefined)).json)
      return `${await taskLine(call, renewed)}\nLease renewed until ${timeText(renewed.claim!.expiresAt, call.clock())}.`
    }
    const { json } = await changing(underClaim(call, claim), async (call) => {
      let atVersion: Preconditions = version === undefined ? {} : { ifMatch: [version] }
      let decided: tasks.TaskAnswer | undefined
      for (const [index, { id: checkId, ...decision }] of checks.entries()) {
        decided = await decideCheck(call, id, checkId, decision, atVersion).catch(inList(`checks.${index}.`))
        atVersion = {}
      }
      const moved = project === undefined ? undefined : await moveUnlessThere(call, id, project, atVersion)
      if (moved) atVersion = {}
      const last = moved ?? decided
      if (last && !isPatch) return last
      if (block.length > 0 || unblock.length > 0) {
        const { blockedBy } = parsed<Task>((await tasks.getTask(call, id)).json)
        patch.blockedBy = [...new Set([...blockedBy, ...block])].filter((blocker) => !unblock.includes(blocker))
      }
      return tasks.updateTask(call, id, patch, atVersion).catch(namingBlockers('block', block, patch.blockedBy ?? []))
    })
    const task = parsed<Task>(json)
    return `${await taskLine(call, task)} version ${task.version}`
  },
})

const isQuestionId = (id: unknown): boolean => typeof id === 'string' && id.startsWith('qst_')

/** Answers with a text or, where there are options, with one of them in the first line and what else there is to say below. */
const answer = async (call: Call, id: string, text: string): Promise<string> => {
  const { options, taskId } = await questions.getQuestion(call, id)
  const [first = '', ...rest] = text.trim().split('\n')
  const body = rest.join('\n').trim()
  const option = options?.find((each) => each.toLowerCase() === first.trim().toLowerCase()) ?? first
  await questions.answerQuestion(call, id, options ? { option, ...(body !== '' && { body }) } : { body: text })
  const task = parsed<Task>((await tasks.getTask(call, taskId)).json)
  return `${id} answered.\n${await taskLine(call, task)}`
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
    if (isQuestionId(id)) return answer(underClaim(call, claim), id, text)
    const comment = await comments.addComment(underClaim(call, claim), id, text, 'text')
    return `${comment.id} added to ${id}`
  },
})
