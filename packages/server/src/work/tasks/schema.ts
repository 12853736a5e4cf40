import { type Static, Type } from 'typebox'
import { Cursor, Limit, maxReferenceLength, nullable } from '../../base/fields.js'
import { Stale } from '../fields/stale-marks.js'
import {
  defaultSimilarScore,
  duplicateScore,
  Explain,
  Explanation,
  MinScore,
  maxDuplicates,
  Score,
} from '../search/schema.js'
import { CheckCounts } from './checks/schema.js'
import { Claim } from './claims/schema.js'
import { perCategory, taskRecord } from './fields.js'
import { filterSchemas } from './lists/filters.js'

const AssigneeId = Type.Optional(
  nullable(Type.String({ maxLength: maxReferenceLength, description: 'The user to assign; null for none.' })),
)

export const TaskId = Type.String({ examples: ['ACME-1'] })

const fields = {
  ...taskRecord.answer,
  assignee: nullable(
    Type.Object({
      id: Type.String({ examples: ['usr_2mQxT8vLk5RbN0cWz7Jd'] }),
      name: Type.String({ examples: ['Ada'] }),
    }),
  ),
  claim: nullable(Claim),
  openBlockers: Type.Integer({
    minimum: 0,
    description: 'Number of tasks in `blockedBy` that are neither done nor cancelled.',
  }),
  children: Type.Object(
    { total: Type.Integer({ minimum: 0 }), open: Type.Integer({ minimum: 0 }) },
    { description: 'Number of direct subtasks.' },
  ),
  commentCount: Type.Integer({ minimum: 0 }),
  openQuestions: Type.Integer({
    minimum: 0,
    description:
      'Number of questions about the task that wait for an answer. While there is one, the task is not ready.',
  }),
  stale: Stale,
  rank: Type.Integer({
    description:
      'Orders the tasks of a project, lowest first, as `sort=rank` does. Compare it with others, and do not keep it: it may change without the task.',
    examples: [1_797_000_000_000_000],
  }),
}

export const Task = Type.Object(fields, { $id: 'Task' })
export type Task = Static<typeof Task>

export const TaskCard = Type.Object(
  {
    ...Type.Omit(Task, taskRecord.notOnCards).properties,
    checks: CheckCounts,
    openBlockerIds: Type.Array(TaskId, { description: 'The tasks that `openBlockers` counts.' }),
    ready: Type.Boolean({ description: 'Whether this key could claim the task now, as in the filter `ready`.' }),
  },
  {
    $id: 'TaskCard',
    description: 'A task without its long fields, as a board shows it.',
  },
)
export type TaskCard = Static<typeof TaskCard>

const { claim, openBlockers, children, commentCount, openQuestions, stale, rank, ...versionFields } = fields

export const TaskVersion = Type.Object(versionFields, {
  $id: 'TaskVersion',
  description: 'A task as it was, without its claim and its counts.',
})
export type TaskVersion = Static<typeof TaskVersion>

export const foundTaskFields = {
  ...fields,
  score: Score,
  matched: Type.Optional(
    Type.Array(Type.Literal('comments'), { description: 'Present if the comments of the task match.' }),
  ),
  explain: Type.Optional(Explanation),
}

export const FoundTask = Type.Object(foundTaskFields, { $id: 'FoundTask' })
export type FoundTask = Static<typeof FoundTask>

export const SimilarTask = Type.Object(
  { id: fields.id, title: fields.title, status: fields.status, score: Score },
  { $id: 'SimilarTask' },
)
export type SimilarTask = Static<typeof SimilarTask>

const newTaskExamples = [{ projectId: 'ACME', title: 'Fix the login redirect', priority: 'high', labels: ['bug'] }]

export const NewTask = Type.Object(
  { ...taskRecord.create, assigneeId: AssigneeId },
  { additionalProperties: false, examples: newTaskExamples },
)
export type NewTask = Static<typeof NewTask>

export const CheckDuplicates = Type.Optional(
  Type.Boolean({
    default: false,
    description: `Also answer with \`similar\`: up to ${maxDuplicates} tasks of the project that it may duplicate, with a score of at least ${duplicateScore}. The task is created in any case. Counts as a search.`,
  }),
)

/** A new task, and whether its duplicates are wanted. */
export const NewTaskRequest = Type.Object(
  { ...NewTask.properties, checkDuplicates: CheckDuplicates },
  { additionalProperties: false, examples: newTaskExamples },
)

export const TaskPatch = Type.Object(
  { ...taskRecord.patch, assigneeId: AssigneeId },
  { additionalProperties: false, examples: [{ status: 'in_progress', priority: 'urgent' }] },
)
export type TaskPatch = Static<typeof TaskPatch>

export const ForceDelete = Type.Optional(Type.Boolean({ description: 'Also delete its subtasks.', default: false }))

export const SimilarTasks = Type.Object(
  { taskId: TaskId, limit: Type.Optional(Limit(10, 50)), minScore: MinScore(defaultSimilarScore) },
  { additionalProperties: false },
)
export type SimilarTasks = Static<typeof SimilarTasks>

const Page = Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1, description: 'Page number.' })

const sorts = ['createdAt', 'updatedAt', 'priority', 'dueDate', 'rank'] as const
type SortField = (typeof sorts)[number]
export type Sort = SortField | `-${SortField}`

const listFields = {
  ...filterSchemas,
  sort: Type.Optional(
    Type.Enum([...sorts, ...sorts.map((field) => `-${field}` as const)], {
      description:
        'Prefix with `-` for descending. Ties are ordered by project and number; tasks without a due date come last. Default: `-createdAt`; with `ready=true` the order in which tasks are claimed: priority, due date, rank. `rank` lists one project after the other.',
    }),
  ),
  page: Type.Optional(Page),
  cursor: Type.Optional(Cursor),
  total: Type.Optional(Type.Enum(['exact'], { description: 'Do not cap the total at 1,000.' })),
}

export const TaskList = Type.Object(
  { ...listFields, limit: Type.Optional(Limit(50, 100)) },
  { additionalProperties: false },
)
export type TaskList = Static<typeof TaskList>

export const TaskCardList = Type.Object(
  { ...listFields, limit: Type.Optional(Limit(200, 1_000)) },
  { additionalProperties: false },
)

export const TaskCountQuery = Type.Object(filterSchemas, { additionalProperties: false })

export const TaskCounts = Type.Object(
  {
    ...perCategory(Type.Integer({ minimum: 0 })),
    total: Type.Integer({ minimum: 0 }),
  },
  { $id: 'TaskCounts', description: 'Number of tasks with a status of each category.' },
)
export type TaskCounts = Static<typeof TaskCounts>

export const TaskSearch = Type.Object(
  {
    q: Type.String({ description: 'Text to search for in titles and descriptions.', examples: ['login redirect'] }),
    ...filterSchemas,
    page: Type.Optional(Page),
    limit: Type.Optional(Limit(50, 100)),
    explain: Explain,
  },
  { additionalProperties: false },
)
export type TaskSearch = Static<typeof TaskSearch>

export const TaskPagination = Type.Object(
  {
    page: Type.Optional(Type.Integer()),
    limit: Type.Integer(),
    total: Type.Optional(
      Type.Integer({ description: 'Capped at 1,000 unless `total=exact` is set; capped at 300 in a search.' }),
    ),
    totalIsCapped: Type.Optional(
      Type.Literal(true, { description: 'There are more results than `total`, or in a search there may be.' }),
    ),
    totalPages: Type.Optional(Type.Integer()),
    hasMore: Type.Boolean(),
    nextCursor: nullable(Type.String()),
  },
  { $id: 'TaskPagination' },
)
