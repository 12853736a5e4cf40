import { type Static, type TInteger, Type } from 'typebox'
import { nullable, Timestamp, Version } from '../../base/fields.js'
import { trusts } from '../knowledge/fields.js'
import { maxContextTokens, minContextTokens } from '../tasks/claims/schema.js'
import { priorities, taskRecord } from '../tasks/fields.js'

export const defaultContextTokens = 1_500

/** The parts of a context, the most important first. */
export const partNames = [
  ...(['blockers', 'answers', 'knowledge', 'ancestors', 'attempts', 'neighbours', 'similarDone'] as const),
]
export type PartName = (typeof partNames)[number]
type Counts = Record<PartName, TInteger>

const Id = Type.String({ examples: ['ACME-12'] })
const Status = taskRecord.answer.status
const Result = nullable(Type.String({ description: 'What came out of it.' }))
const KeyName = Type.String({ examples: ['agent-3'] })

const ContextTask = Type.Object({
  id: Id,
  title: Type.String(),
  status: Status,
  projectId: Type.Optional(Type.String()),
  priority: Type.Optional(Type.Enum([...priorities])),
  labels: Type.Optional(Type.Array(Type.String())),
  dueDate: Type.Optional(taskRecord.answer.dueDate),
  resources: Type.Optional(Type.Array(Type.String())),
  checks: Type.Optional(Type.Array(Type.Object({ id: Type.String(), text: Type.String(), state: Type.String() }))),
  description: Type.Optional(Type.String()),
})

export const Context = Type.Object(
  {
    task: ContextTask,
    ancestors: Type.Array(
      Type.Object({
        ...{ id: Id, title: Type.String(), status: Type.Optional(Status) },
        ...{ result: Type.Optional(Result), description: Type.Optional(Type.String()) },
      }),
      { description: 'The parent first.' },
    ),
    blockers: Type.Array(Type.Object({ id: Id, title: Type.String(), status: Type.Optional(Status), result: Result })),
    answers: Type.Array(Type.Object({ question: Type.String(), answer: Type.String(), by: Type.Optional(KeyName) }), {
      description: 'To questions about the task, the newest first.',
    }),
    attempts: Type.Array(
      Type.Object({
        by: KeyName,
        ended: Type.Enum(['released', 'expired', 'replaced']),
        at: Type.Optional(Timestamp),
        comment: nullable(Type.String()),
      }),
      { description: 'Earlier claims, the newest first, each with the last comment of its holder.' },
    ),
    knowledge: Type.Array(
      Type.Object({
        key: Type.String(),
        projectId: Type.Optional(nullable(Type.String())),
        version: Type.Optional(Version),
        title: Type.Optional(nullable(Type.String())),
        trust: Type.Optional(Type.Enum([...trusts])),
        heading: Type.Optional(nullable(Type.String())),
        start: Type.Optional(Type.Integer({ description: 'Where the passage begins in the content.' })),
        passage: Type.String(),
      }),
      { description: 'Passages of current items of the project and the tenant that fit the task.' },
    ),
    neighbours: Type.Array(
      Type.Object({ id: Id, title: Type.String(), by: KeyName, worker: Type.Optional(nullable(Type.String())) }),
      { description: 'Tasks on a like subject that others hold now.' },
    ),
    similarDone: Type.Array(Type.Object({ id: Id, title: Type.String(), result: Type.Optional(Result) }), {
      description: 'Finished tasks on the same subject.',
    }),
    omitted: Type.Partial(Type.Object(Object.fromEntries(partNames.map((name) => [name, Type.Integer()])) as Counts), {
      description: 'How many entries of a part did not fit; parts that are whole are not named.',
      examples: [{ knowledge: 4 }],
    }),
    searched: Type.Optional(
      Type.Literal(false, {
        description: 'Where nothing could be searched for: the limit of searches is used up, or search is unavailable.',
      }),
    ),
    tokens: Type.Integer({ description: 'An estimate of what the context takes, rather too high than too low.' }),
  },
  {
    $id: 'Context',
    description:
      'What a worker needs before it begins, within a budget. A text that was cut ends in `…`; where there is hardly any room, entries show only what is essential.',
  },
)
export type Context = Static<typeof Context>

export const BudgetTokens = Type.Optional(
  Type.Integer({
    minimum: minContextTokens,
    maximum: maxContextTokens,
    default: defaultContextTokens,
    description: 'The context takes no more tokens than this.',
  }),
)
