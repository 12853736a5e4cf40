import { type Static, Type } from 'typebox'
import { ActorRefSchema, Limit, maxReferenceLength, nullable, ProjectRefText, Timestamp } from '../../base/fields.js'
import { eventTypes } from '../../changelog/event-types.js'
import { interfaces } from '../../operations/call.js'

export const Event = Type.Object(
  {
    id: Type.String({ examples: ['evt_0pTq8JbXy3LmR5vKc2Za'] }),
    sequence: Type.Integer({ minimum: 1, description: 'Increases by one with each event of the tenant.' }),
    type: Type.Enum([...eventTypes]),
    timestamp: Timestamp,
    actor: ActorRefSchema,
    requestId: nullable(
      Type.String({ description: 'The request that made the change; null where it was the service or a command.' }),
    ),
    via: Type.Enum([...interfaces], {
      description: 'The interface that the change came through; `service` is the service itself.',
    }),
    traceparent: Type.Optional(
      Type.String({
        description: 'The W3C trace context of the request, where it had one.',
        examples: ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'],
      }),
    ),
    undoes: Type.Optional(Type.String({ description: 'The event that the change undid.' })),
    projectId: nullable(Type.String({ description: 'Null where the record belongs to no project.' })),
    data: Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          'The record after the change, or its last state if it was deleted. A large record is sent without its long text and with `truncated: true`; fetch it by id.',
      },
    ),
    previous: nullable(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description: 'The previous values of the changed fields; null unless the record was updated.',
        },
      ),
    ),
  },
  { $id: 'Event' },
)

export type Event = Static<typeof Event>

export const EventPagination = Type.Object(
  {
    limit: Type.Integer(),
    hasMore: Type.Boolean({ description: 'Whether there are more events after this page.' }),
    nextAfter: Type.Integer({
      description:
        'Send it as `after` to continue. It also skips events that the filters or the projects of the key exclude. With `order=desc` it is the newest event now, to follow the log from there.',
    }),
    nextBefore: Type.Optional(
      nullable(
        Type.Integer({
          description: 'With `order=desc`: send it as `before` to continue; null at the end.',
        }),
      ),
    ),
  },
  { $id: 'EventPagination' },
)

const Types = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
  maxItems: 50,
  description: 'Only these event types; `task.*` matches all task events.',
  examples: [['task.*', 'knowledge.updated']],
})
const ProjectRef = Type.String({
  minLength: 1,
  maxLength: maxReferenceLength,
  description: `Only events of this project. ${ProjectRefText}`,
})
const After = (fallback: string) =>
  Type.String({
    pattern: '^(\\d{1,15}|latest)$',
    patternMessage: 'must be an event sequence or "latest"',
    description: `Only events after this sequence; \`latest\` is the newest one now. ${fallback}`,
    examples: ['0'],
  })

const Moment = (description: string) =>
  Type.String({ maxLength: 40, description, examples: ['2026-01-31T09:00:00.000Z'] })

export const EventFeed = Type.Object(
  {
    after: Type.Optional(After('Default: from the oldest retained event.')),
    types: Type.Optional(Types),
    projectId: Type.Optional(ProjectRef),
    order: Type.Optional(
      Type.Enum(['asc', 'desc'], {
        default: 'asc',
        description: '`desc` lists the newest events first, to be continued with `before`.',
      }),
    ),
    before: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'With `order=desc`: only events before this sequence.',
      }),
    ),
    subject: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 512,
        description:
          'With `order=desc`: only events of this record, by its id or key; of a task with its comments and questions.',
        examples: ['ACME-1'],
      }),
    ),
    actor: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: maxReferenceLength,
        description: 'With `order=desc`: only changes made by this API key.',
        examples: ['key_4Bk1sPq9fWx2LrT7vZ0c'],
      }),
    ),
    since: Type.Optional(Moment('With `order=desc`: only events from this time on.')),
    until: Type.Optional(Moment('With `order=desc`: only events from before this time.')),
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
export type EventFeed = Static<typeof EventFeed>

export const EventStreamInput = Type.Object(
  {
    after: Type.Optional(After('Default: from now on. `Last-Event-ID` takes precedence.')),
    types: Type.Optional(Types),
    projectId: Type.Optional(ProjectRef),
    lastEventId: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
)
export type EventStreamInput = Static<typeof EventStreamInput>
