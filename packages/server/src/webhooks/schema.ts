import { type Static, Type } from 'typebox'
import { nullable, ProjectRefText, Timestamp } from '../fields.js'

const Url = Type.String({
  minLength: 1,
  maxLength: 2_048,
  description: 'Where events are sent: https, on the public internet.',
  examples: ['https://example.com/hooks/worklore'],
})
const Events = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
  minItems: 1,
  maxItems: 50,
  uniqueItems: true,
  description: 'The types of events to send; `task.*` is all of a kind, `*` is all.',
  examples: [['task.*', 'knowledge.updated']],
})
const ProjectId = nullable(Type.String({ description: `Send only events of this project. ${ProjectRefText}` }))
const Description = Type.String({ maxLength: 500, examples: ['Tells the chat what is done'] })
const Active = Type.Boolean({ description: 'One that is off sends nothing; on again, it goes on where it was.' })

const fields = {
  id: Type.String({ examples: ['whk_7Rk2mXs0dQp5VtYb9LnC'] }),
  url: Url,
  events: Events,
  projectId: ProjectId,
  description: Description,
  active: Active,
  disabledReason: nullable(Type.String({ description: 'Why the service turned it off.' })),
  failingSince: nullable(Type.String({ format: 'date-time', description: 'When it began to fail, if it does.' })),
  position: Type.Integer({ description: 'Events up to this sequence were sent, or wait for another attempt.' }),
  replay: nullable(
    Type.Object(
      { position: Type.Integer(), toSequence: Type.Integer() },
      { description: 'How far the replay under way has come.' },
    ),
  ),
  createdAt: Timestamp,
  updatedAt: Timestamp,
}

export const Webhook = Type.Object(fields, { $id: 'Webhook' })
export type Webhook = Static<typeof Webhook>

export const WebhookWithSecret = Type.Object(
  {
    ...fields,
    secret: nullable(
      Type.String({
        description: 'Signs what is sent. Shown this once; null in the replay of an idempotent request.',
        examples: ['whsec_nO8oU1bq3dHcYf2tV7mK0rJxP5sLzE9wQaGiB4uC6hI='],
      }),
    ),
  },
  { $id: 'WebhookWithSecret' },
)

export const NewWebhook = Type.Object(
  {
    url: Url,
    events: Events,
    projectId: Type.Optional(ProjectId),
    description: Type.Optional(Description),
    active: Type.Optional(Active),
  },
  { additionalProperties: false },
)
export type NewWebhook = Static<typeof NewWebhook>

export const WebhookPatch = Type.Partial(NewWebhook, { additionalProperties: false })
export type WebhookPatch = Static<typeof WebhookPatch>

export const WebhookParams = Type.Object({ webhookId: Type.String({ examples: ['whk_7Rk2mXs0dQp5VtYb9LnC'] }) })

export const SecretRotation = Type.Object(
  {
    overlapSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 604_800,
        default: 86_400,
        description: 'How long the old secret signs beside the new one, up to seven days.',
      }),
    ),
  },
  { additionalProperties: false },
)
export type SecretRotation = Static<typeof SecretRotation>

export const ReplayRequest = Type.Object(
  {
    fromSequence: Type.Integer({ minimum: 1, description: 'The first event to send again.' }),
    toSequence: Type.Optional(Type.Integer({ minimum: 1, description: 'The last one; left out: the newest now.' })),
  },
  { additionalProperties: false },
)
export type ReplayRequest = Static<typeof ReplayRequest>

export const Replay = Type.Object(
  { webhookId: Type.String(), fromSequence: Type.Integer(), toSequence: Type.Integer() },
  { $id: 'WebhookReplay' },
)
