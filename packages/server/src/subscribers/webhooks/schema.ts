import { type Static, Type } from 'typebox'
import { emptyForNull, flag, json, plain, time } from '../../base/columns.js'
import { maxReferenceLength, nullable, ProjectRefText, Timestamp } from '../../base/fields.js'
import { defineRecord, field } from '../../base/record.js'

const formats = ['standard', 'slack', 'teams'] as const
export type Format = (typeof formats)[number]

export const webhookRecord = defineRecord({
  id: field(Type.String({ examples: ['whk_7Rk2mXs0dQp5VtYb9LnC'] }), {
    setBy: 'service on create',
    column: plain('id'),
  }),
  url: field(
    Type.String({
      description: 'Where it sends to; of a chat only the origin.',
      examples: ['https://example.com/hooks/worklore'],
    }),
    {
      setBy: 'caller',
      input: Type.String({
        minLength: 1,
        maxLength: 2_048,
        description: 'The https URL to send events to, on the public internet.',
        examples: ['https://example.com/hooks/worklore'],
      }),
      column: plain('url'),
    },
  ),
  format: field(
    Type.Enum([...formats], {
      description:
        'What is sent: `standard` for signed JSON, `slack` for an incoming webhook of Slack, `teams` for a workflow of Microsoft Teams. The URL of the latter two is a secret and is not shown again. It cannot be changed.',
    }),
    { setBy: 'caller on create', initial: 'standard', column: plain('format') },
  ),
  events: field(Type.Array(Type.String(), { description: 'Empty where it sends what is in inboxes.' }), {
    setBy: 'caller',
    input: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
      minItems: 1,
      maxItems: 50,
      uniqueItems: true,
      description: 'The event types to send; `task.*` matches all task events, `*` matches everything.',
      examples: [['task.*', 'knowledge.updated']],
    }),
    initial: [],
    column: json('events'),
  }),
  inboxOf: field(
    nullable(
      Type.String({
        minLength: 1,
        maxLength: maxReferenceLength,
        description:
          "In place of `events`: send what is put into this user's inbox or, with `humans`, into that of any human user, and what waits for any of them: questions to no one in particular, and checks of tasks in review.",
      }),
    ),
    { setBy: 'caller', initial: null, column: plain('inbox_of') },
  ),
  projectId: field(
    nullable(
      Type.String({
        maxLength: maxReferenceLength,
        description: `Send only events of this project. ${ProjectRefText}`,
      }),
    ),
    { setBy: 'caller', initial: null, column: emptyForNull('project_id') },
  ),
  description: field(Type.String({ maxLength: 500, examples: ['Tells the chat what is done'] }), {
    setBy: 'caller',
    initial: '',
    column: plain('description'),
  }),
  active: field(Type.Boolean({ description: 'One that is off sends nothing; on again, it goes on where it was.' }), {
    setBy: 'caller',
    initial: true,
    column: flag('is_active'),
  }),
  disabledReason: field(nullable(Type.String({ description: 'Why the service disabled the webhook.' })), {
    setBy: 'service',
    initial: null,
    column: plain('disabled_reason'),
  }),
  failingSince: field(
    nullable(
      Type.String({
        format: 'date-time',
        description: 'Since when deliveries have been failing; null if they succeed.',
      }),
    ),
    { setBy: 'elsewhere', initial: null, column: time('failing_since') },
  ),
  position: field(Type.Integer({ description: 'Events up to this sequence were sent or are being retried.' }), {
    setBy: 'service on create',
    column: plain('position'),
  }),
  replay: field(
    nullable(
      Type.Object(
        { position: Type.Integer(), toSequence: Type.Integer() },
        { description: 'Progress of the running replay.' },
      ),
    ),
    { setBy: 'elsewhere', initial: null, column: json('replay') },
  ),
  createdAt: field(Timestamp, { setBy: 'service on create', column: time('created_at') }),
  updatedAt: field(Timestamp, { setBy: 'service', column: time('updated_at') }),
})

export const Webhook = Type.Object(webhookRecord.answer, { $id: 'Webhook' })
export type Webhook = Static<typeof Webhook>

export const WebhookWithSecret = Type.Object(
  {
    ...webhookRecord.answer,
    secret: nullable(
      Type.String({
        description: 'The signing secret. Shown only once; null when an idempotent request is repeated.',
        examples: ['whsec_nO8oU1bq3dHcYf2tV7mK0rJxP5sLzE9wQaGiB4uC6hI='],
      }),
    ),
  },
  { $id: 'WebhookWithSecret' },
)

export const NewWebhook = Type.Object(webhookRecord.create, {
  additionalProperties: false,
  examples: [{ url: 'https://example.com/hooks/worklore', events: ['task.*', 'knowledge.updated'] }],
})
export type NewWebhook = Static<typeof NewWebhook>

export const WebhookPatch = Type.Object(webhookRecord.patch, { additionalProperties: false })
export type WebhookPatch = Static<typeof WebhookPatch>

export const WebhookId = Type.String({ examples: ['whk_7Rk2mXs0dQp5VtYb9LnC'] })

export const SecretRotation = Type.Object(
  {
    overlapSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 604_800,
        default: 86_400,
        description: 'How long the old secret also signs deliveries, up to seven days.',
      }),
    ),
  },
  { additionalProperties: false },
)
export type SecretRotation = Static<typeof SecretRotation>

export const ReplayRequest = Type.Object(
  {
    fromSequence: Type.Integer({ minimum: 1, description: 'The first event to send again.' }),
    toSequence: Type.Optional(
      Type.Integer({ minimum: 1, description: 'The last event to send again; default: the newest.' }),
    ),
  },
  { additionalProperties: false },
)
export type ReplayRequest = Static<typeof ReplayRequest>

export const Replay = Type.Object(
  { webhookId: Type.String(), fromSequence: Type.Integer(), toSequence: Type.Integer() },
  { $id: 'WebhookReplay' },
)
