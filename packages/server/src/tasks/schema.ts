import { type Static, Type } from 'typebox'
import { ActorRefSchema, Cursor, Limit, nullable, ProjectRefText, Timestamp, Version } from '../fields.js'
import { Explain, Explanation } from '../search/schema.js'

export const statuses = ['todo', 'in_progress', 'in_review', 'done', 'cancelled'] as const
export type Status = (typeof statuses)[number]
/** In rising order. */
export const priorities = ['low', 'medium', 'high', 'urgent'] as const
export type Priority = (typeof priorities)[number]

export const maxTitleCharacters = 500
export const maxDescriptionBytes = 65_536

const Title = Type.String({
  minLength: 1,
  description: `1 to ${maxTitleCharacters} characters after trimming.`,
  examples: ['Fix the login redirect'],
})
const Description = Type.String({
  description: 'Up to 64 KiB of UTF-8.',
  examples: ['After signing in, people land on a blank page.'],
})
const StatusField = Type.Enum([...statuses], { examples: ['todo'] })
const PriorityField = Type.Enum([...priorities], { examples: ['medium'] })
const Labels = Type.Array(Type.String({ minLength: 1, maxLength: 64, pattern: '^[^,]*$' }), {
  maxItems: 50,
  description: 'Up to 50 labels of 1 to 64 characters without a comma; the order is kept, repeats are dropped.',
  examples: [['bug', 'login']],
})
const DueDate = Type.String({
  description: 'A date (`2026-01-31`), returned as it is, or a timestamp, returned in UTC.',
  examples: ['2026-01-31'],
})
const AssigneeId = nullable(Type.String({ description: 'The user to assign, or null for no one.' }))

const fields = {
  id: Type.String({ description: 'The key of the project and a number.', examples: ['ACME-12'] }),
  projectId: Type.String({ examples: ['prj_8sVnQ2kLw0ZtY3bRcX6m'] }),
  title: Title,
  description: Description,
  status: StatusField,
  priority: PriorityField,
  assignee: nullable(
    Type.Object({
      id: Type.String({ examples: ['usr_2mQxT8vLk5RbN0cWz7Jd'] }),
      name: Type.String({ examples: ['Ada'] }),
    }),
  ),
  labels: Labels,
  dueDate: nullable(DueDate),
  version: Version,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  createdBy: ActorRefSchema,
}

export const Task = Type.Object(fields, { $id: 'Task' })
export type Task = Static<typeof Task>

export const FoundTask = Type.Object(
  {
    ...fields,
    score: Type.Number({ minimum: 0, maximum: 1, description: 'Higher is a closer match.' }),
    explain: Type.Optional(Explanation),
  },
  { $id: 'FoundTask' },
)

export const NewTask = Type.Object(
  {
    projectId: Type.String({ minLength: 1, maxLength: 64, description: ProjectRefText, examples: ['ACME'] }),
    title: Title,
    description: Type.Optional(Description),
    status: Type.Optional(StatusField),
    priority: Type.Optional(PriorityField),
    assigneeId: Type.Optional(AssigneeId),
    labels: Type.Optional(Labels),
    dueDate: Type.Optional(nullable(DueDate)),
  },
  { additionalProperties: false },
)
export type NewTask = Static<typeof NewTask>

export const TaskPatch = Type.Partial(Type.Omit(NewTask, ['projectId']), { additionalProperties: false })
export type TaskPatch = Static<typeof TaskPatch>

export const TaskParams = Type.Object({ taskId: Type.String({ examples: ['ACME-12'] }) })

const list = (what: string) => Type.String({ minLength: 1, description: `${what} A comma list means any of them.` })

const filters = {
  projectId: Type.Optional(list(ProjectRefText)),
  status: Type.Optional(list(`One of ${statuses.join(', ')}.`)),
  assignee: Type.Optional(list('The id of a user, or `none` for tasks of no one.')),
  priority: Type.Optional(list(`One of ${priorities.join(', ')}.`)),
  label: Type.Optional(list('A label.')),
  dueBefore: Type.Optional(Type.String({ description: 'Due before this date or time.' })),
  dueAfter: Type.Optional(Type.String({ description: 'Due after this date or time.' })),
  updatedAfter: Type.Optional(Type.String({ description: 'Changed after this date or time.' })),
}

const Page = Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1, description: 'Page number.' })

export const sorts = ['createdAt', 'updatedAt', 'priority', 'dueDate'] as const
export type SortField = (typeof sorts)[number]
export type Sort = SortField | `-${SortField}`

export const TaskListQuery = Type.Object(
  {
    ...filters,
    sort: Type.Optional(
      Type.Enum([...sorts, ...sorts.map((field) => `-${field}` as const)], {
        default: '-createdAt',
        description: 'With `-` descending. Ties go by project and number; tasks without a due date come last.',
      }),
    ),
    page: Type.Optional(Page),
    limit: Type.Optional(Limit(50, 100)),
    cursor: Type.Optional(Cursor),
    total: Type.Optional(Type.Enum(['exact'], { description: 'Count beyond 1,000.' })),
  },
  { additionalProperties: false },
)
export type TaskListQuery = Static<typeof TaskListQuery>

export const TaskSearchQuery = Type.Object(
  {
    q: Type.String({ description: 'Words to look for in titles and descriptions.', examples: ['login redirect'] }),
    ...filters,
    page: Type.Optional(Page),
    limit: Type.Optional(Limit(50, 100)),
    explain: Explain,
  },
  { additionalProperties: false },
)
export type TaskSearchQuery = Static<typeof TaskSearchQuery>

export const TaskPagination = Type.Object(
  {
    page: Type.Optional(Type.Integer()),
    limit: Type.Integer(),
    total: Type.Optional(
      Type.Integer({ description: 'Exact up to 1,000, unless asked for with `total=exact`; in a search up to 300.' }),
    ),
    totalIsCapped: Type.Optional(Type.Literal(true, { description: 'There are more than `total`.' })),
    totalPages: Type.Optional(Type.Integer()),
    hasMore: Type.Boolean(),
    nextCursor: nullable(Type.String()),
  },
  { $id: 'TaskPagination' },
)
