import { type Static, type TSchema, Type } from 'typebox'
import { nullable, Timestamp } from '../../../base/fields.js'
import { statusText } from '../../../tenancy/projects/statuses.js'
import { priorities, taskRecord } from '../fields.js'

const minLeaseSeconds = 10
export const maxLeaseSeconds = 86_400
export const defaultLeaseSeconds = 1_800
export const maxWaitSeconds = 30

export const ClaimToken = Type.String({
  description: 'The task id and a claim number, never reused.',
  examples: ['ACME-12.7'],
})

export const Claim = Type.Object(
  {
    token: ClaimToken,
    keyId: Type.String({ examples: ['key_4Bk1sPq9fWx2LrT7vZ0c'] }),
    keyName: Type.String({ examples: ['agent-3'] }),
    userId: nullable(Type.String()),
    worker: nullable(Type.String({ description: 'The process that holds the claim, as named by the caller.' })),
    note: nullable(Type.String()),
    claimedAt: Timestamp,
    renewedAt: Timestamp,
    expiresAt: Timestamp,
  },
  { $id: 'Claim', description: 'Who is working on the task, and until when.' },
)
export type Claim = Static<typeof Claim>

const LeaseSeconds = Type.Integer({
  minimum: minLeaseSeconds,
  maximum: maxLeaseSeconds,
  default: defaultLeaseSeconds,
  description: 'How long the claim lasts unless it is renewed.',
})
const Worker = nullable(Type.String({ minLength: 1, maxLength: 200, examples: ['worker-2'] }))
const Note = nullable(Type.String({ maxLength: 1_000, examples: ['Reproducing it first'] }))

export const minContextTokens = 200
export const maxContextTokens = 20_000

const ContextTokens = Type.Optional(
  Type.Integer({
    minimum: minContextTokens,
    maximum: maxContextTokens,
    description: 'Also answer with `context`: what a worker on the task needs, in no more tokens than this.',
  }),
)

const lease = {
  leaseSeconds: Type.Optional(LeaseSeconds),
  worker: Type.Optional(Worker),
  note: Type.Optional(Note),
}

export const ClaimRequest = Type.Object(
  {
    ...lease,
    contextTokens: ContextTokens,
    takeover: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Replace an active claim of the same key; an admin key can replace any claim.',
      }),
    ),
  },
  { additionalProperties: false, examples: [{ leaseSeconds: 1_800, worker: 'worker-1' }] },
)
export type ClaimRequest = Static<typeof ClaimRequest>
export type Lease = Pick<ClaimRequest, 'leaseSeconds' | 'worker' | 'note'>

export const RenewRequest = Type.Object(
  {
    leaseSeconds: Type.Optional(
      Type.Integer({
        minimum: minLeaseSeconds,
        maximum: maxLeaseSeconds,
        description: 'Seconds from now; default: the present length of the lease.',
      }),
    ),
  },
  { additionalProperties: false, examples: [{ leaseSeconds: 1_800 }] },
)
export type RenewRequest = Static<typeof RenewRequest>

const oneOrMore = <T extends TSchema>(schema: T) =>
  Type.Union([schema, Type.Array(schema, { minItems: 1, maxItems: 50 })])

export const NextRequest = Type.Object(
  {
    projectId: Type.Optional(oneOrMore(Type.String({ minLength: 1, maxLength: 64, examples: ['ACME'] }))),
    label: Type.Optional(oneOrMore(Type.String({ minLength: 1, maxLength: 64 }))),
    priority: Type.Optional(oneOrMore(Type.Enum([...priorities]))),
    parentId: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'Only direct subtasks of this task.' }),
    ),
    ...lease,
    waitSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: maxWaitSeconds,
        default: 0,
        description: 'How long to wait for a task where none is ready.',
      }),
    ),
    contextTokens: ContextTokens,
    peek: Type.Optional(Type.Boolean({ default: false, description: 'Return the task without claiming it.' })),
  },
  { additionalProperties: false, examples: [{ projectId: 'ACME', leaseSeconds: 1_800 }] },
)
export type NextRequest = Static<typeof NextRequest>

export const ReleaseRequest = Type.Object(
  {
    status: Type.Optional(
      Type.String({
        ...statusText,
        default: 'todo',
        description: 'The new status of the task, of any category but in_progress; `todo` makes it available again.',
      }),
    ),
    comment: Type.Optional(Type.String({ minLength: 1, maxLength: 65_536, description: 'Up to 64 KiB of Markdown.' })),
    notBefore: Type.Optional(nullable(Type.String({ description: 'The task is not ready before this time.' }))),
    result: Type.Optional(taskRecord.answer.result),
  },
  { additionalProperties: false, examples: [{ status: 'done', comment: 'Fixed in the session middleware.' }] },
)
export type ReleaseRequest = Static<typeof ReleaseRequest>
