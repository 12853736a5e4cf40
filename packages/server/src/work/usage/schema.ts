import { type Static, Type } from 'typebox'
import { maxReferenceLength, nullable, ProjectRefText, Timestamp } from '../../base/fields.js'

const usageGroups = ['key', 'project', 'day', 'hour'] as const

export const UsageQuery = Type.Object(
  {
    by: Type.Optional(
      Type.Enum([...usageGroups], { default: 'key', description: 'What a row is about. Days and hours are in UTC.' }),
    ),
    since: Type.Optional(
      Type.String({
        maxLength: 40,
        description:
          'From this time on: 24 hours ago by default, 30 days by `day`. Requests are counted by the hour for two days and by the day for 30, so that for them the period begins with an hour or a day.',
        examples: ['2026-01-31T09:00:00.000Z'],
      }),
    ),
    keyId: Type.Optional(Type.String({ minLength: 1, maxLength: maxReferenceLength, description: 'Only this key.' })),
    projectId: Type.Optional(
      Type.String({ minLength: 1, maxLength: maxReferenceLength, description: `Only this project. ${ProjectRefText}` }),
    ),
  },
  { additionalProperties: false },
)
export type UsageQuery = Static<typeof UsageQuery>

export const recentMinutes = 30

const Moment = (description: string) => Type.String({ format: 'date-time', description })
const Count = (description: string) => Type.Integer({ minimum: 0, description })

const ClaimCounts = Type.Object(
  {
    ended: Count('Claims that ended in the period, however they did.'),
    finished: Count(
      'Claims that ended with the task done or in review. By `key` or with `keyId`, those that the key itself ended so, also claims of others.',
    ),
    released: Count('Those that their holders ended with the task back in to do, a question asked apart.'),
    expired: Count('Those that ran out, or whose key was revoked.'),
    medianSeconds: nullable(
      Type.Number({
        description: 'Time from the claim to its end, of those that their holders finished; null without any.',
      }),
    ),
  },
  { $id: 'ClaimCounts' },
)
export type ClaimCounts = Static<typeof ClaimCounts>

const WorkerUsage = Type.Object(
  {
    worker: nullable(Type.String({ description: 'The name its claims have; null for claims without one.' })),
    waitsUntil: nullable(Timestamp),
    firstAt: nullable(Moment('When the first of its claims that ended in the period began, or the period did.')),
    lastSeenAt: nullable(
      Moment('When it last renewed or ended one of these claims, or now while it waits; null where that is not known.'),
    ),
    claims: ClaimCounts,
  },
  { $id: 'WorkerUsage' },
)
export type WorkerUsage = Static<typeof WorkerUsage>

const UsageRow = Type.Object(
  {
    keyId: nullable(Type.String({ description: 'By `key`.' })),
    projectId: nullable(Type.String({ description: 'By `project`; null for requests about no single project.' })),
    at: nullable(Timestamp),
    requests: Count('A batch counts as one.'),
    writes: Count('Requests of these that were writes and succeeded.'),
    changes: Count('Changes of tasks, comments, questions, knowledge and projects that the requests made.'),
    recentChanges: Type.Array(Type.Integer({ minimum: 0 }), {
      description: `By \`key\`: the changes in each of the last ${recentMinutes} minutes, the present one last.`,
    }),
    refused: Type.Unsafe<Record<string, number>>({
      type: 'object',
      additionalProperties: { type: 'integer' },
      description: 'Requests that were refused or failed, by the status of their answer.',
      examples: [{ '409': 3, '429': 161 }],
    }),
    firstAt: nullable(
      Moment('When the first of its claims that ended in the period began, else the first hour or day with requests.'),
    ),
    claims: ClaimCounts,
    waitsUntil: nullable(Moment('By `key`: until when it counts as waiting for a task; null where it does not wait.')),
    workers: Type.Array(WorkerUsage, { description: 'By `key`: the workers of the key, at most 100.' }),
  },
  { $id: 'UsageRow' },
)
export type UsageRow = Static<typeof UsageRow>

export const Usage = Type.Object(
  { since: Timestamp, rows: Type.Array(UsageRow, { description: 'By key and project the busiest 1,000.' }) },
  { $id: 'Usage' },
)
export type Usage = Static<typeof Usage>
