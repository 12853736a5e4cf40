import { type Static, Type } from 'typebox'
import { ActorRefSchema, Limit, nullable, ProjectRefText, Timestamp } from '../fields.js'
import { eventTypes } from './types.js'

export const Event = Type.Object(
  {
    id: Type.String({ examples: ['evt_0pTq8JbXy3LmR5vKc2Za'] }),
    sequence: Type.Integer({ minimum: 1, description: 'Rises by one with each event of the tenant.' }),
    type: Type.Enum([...eventTypes]),
    timestamp: Timestamp,
    actor: ActorRefSchema,
    projectId: nullable(Type.String({ description: 'Null where the record belongs to no project.' })),
    data: Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          'The record after the change; of a deleted one, its last state. A large one comes without its long text and with `truncated: true`: fetch it by its id.',
      },
    ),
    previous: nullable(
      Type.Object(
        {},
        { additionalProperties: true, description: 'The changed fields as they were before; null unless updated.' },
      ),
    ),
  },
  { $id: 'Event' },
)

export const EventPagination = Type.Object(
  {
    limit: Type.Integer(),
    hasMore: Type.Boolean({ description: 'Whether the log goes on beyond this page.' }),
    nextAfter: Type.Integer({
      description: 'Send it as `after` to go on. It moves past events that were not asked for or may not be seen.',
    }),
  },
  { $id: 'EventPagination' },
)

const Types = Type.String({
  minLength: 1,
  maxLength: 1_000,
  description: 'Only these types, divided by commas; `task.*` is all of a kind.',
  examples: ['task.*,knowledge.updated'],
})
const ProjectRef = Type.String({ minLength: 1, description: `Only events of this project. ${ProjectRefText}` })
const After = (fallback: string) =>
  Type.String({
    pattern: '^(\\d{1,15}|latest)$',
    description: `Only events after this sequence; \`latest\` is the newest one now. ${fallback}`,
    examples: ['1041'],
  })

export const EventQuery = Type.Object(
  {
    after: Type.Optional(After('Left out: from the oldest event that is kept.')),
    types: Type.Optional(Types),
    projectId: Type.Optional(ProjectRef),
    limit: Type.Optional(Limit(100, 500)),
    wait: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 30,
        default: 0,
        description: 'Seconds to wait for an event where there is none yet.',
      }),
    ),
  },
  { additionalProperties: false },
)
export type EventQuery = Static<typeof EventQuery>

export const StreamQuery = Type.Object(
  {
    after: Type.Optional(After('Left out: from now on. `Last-Event-ID` goes before it.')),
    types: Type.Optional(Types),
    projectId: Type.Optional(ProjectRef),
  },
  { additionalProperties: false },
)
export type StreamQuery = Static<typeof StreamQuery>
