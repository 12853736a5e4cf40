import { type Static, Type } from 'typebox'
import type { OperationCall } from '../../operations/operation.js'
import { categories } from '../../tenancy/projects/statuses.js'
import type { TaskFilterInput } from '../../work/tasks/lists/filters.js'
import * as operations from '../../work/tasks/operations.js'
import type { Task } from '../../work/tasks/schema.js'
import { countFitting, listBudget } from '../budget.js'
import { userRef } from '../references.js'
import { run } from '../run.js'
import { questionsToActor } from '../text/questions.js'
import { describeRest, describeTask } from '../text/task.js'
import { taskLines } from '../text/task-line.js'
import { totalText } from '../text/text.js'
import { tool } from '../tool.js'
import { readNoneReadyText } from './none-ready.js'
import { foundTasks, searchPage } from './search-page.js'

/** Of the tokens of a list, for the questions that come with it. */
const questionBudget = 300

const Cursor = Type.String({ minLength: 1, maxLength: 4_096 })

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
    const task = (await run(call, operations.getTask, { taskId: id })).data as Task
    if (fromLine === undefined && cursor === undefined) return describeTask(call, task)
    return describeRest(call, task, { cursor, fromLine })
  },
})

const ListArguments = Type.Object({
  project: Type.Optional(Type.String()),
  status: Type.Optional(Type.String({ description: `${categories.join(', ')} or the project's own` })),
  ready: Type.Optional(Type.Boolean({ description: 'claimable now' })),
  mine: Type.Optional(Type.Boolean({ description: 'claimed by your key' })),
  verify: Type.Optional(Type.Boolean({ description: 'with checks to decide' })),
  assignee: Type.Optional(Type.String()),
  labels: Type.Optional(Type.Array(Type.String(), { maxItems: 50 })),
  parent: Type.Optional(Type.String()),
  query: Type.Optional(Type.String()),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
  cursor: Type.Optional(Cursor),
})

/** `me` and `none` are for the list to tell. */
const listedAssignee = (call: OperationCall, assignee: string): Promise<string> | string =>
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

const noneReady = (call: OperationCall, { project, labels }: Static<typeof ListArguments>): Promise<string> =>
  readNoneReadyText(call, {
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
    const list = (page: { limit: number; cursor?: string }) => run(call, operations.listTasks, { ...filter, ...page })
    const read = (limit: number) => list({ limit, ...(cursor !== undefined && { cursor }) })
    const moreOf = ({ nextCursor }: { nextCursor: string | null }): string =>
      nextCursor === null ? '' : `, more: cursor ${nextCursor}`
    let page = await read(limit)
    let lines = await taskLines(call, page.data, moreOf(page.pagination))
    const count = countFitting(lines, listBudget)
    if (count < lines.length) {
      page = await read(count)
      lines = lines.slice(0, count)
    }
    const asked = args.verify && cursor === undefined ? await questionsToActor(call, args.project, questionBudget) : []
    if (lines.length === 0) {
      return args.ready && isOnlyReady(args) ? noneReady(call, args) : ['No tasks match.', ...asked].join('\n')
    }
    const { pagination } = cursor === undefined ? page : await list({ limit: 1 })
    return [...lines, `${lines.length} of ${totalText(pagination)}${moreOf(page.pagination)}`, ...asked].join('\n')
  },
})
