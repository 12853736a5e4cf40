import { type Static, Type } from 'typebox'
import { Cursor, Limit, nullable, Timestamp } from '../../../base/fields.js'

const deliveryStatuses = ['pending', 'retrying', 'succeeded', 'failed'] as const
const Status = Type.Enum([...deliveryStatuses], {
  description: '`pending`: before the first attempt. `retrying`: will be attempted again. `failed`: given up.',
})

const deliveryReasons = ['event', 'replay', 'redelivery', 'ping'] as const

export const Delivery = Type.Object(
  {
    id: Type.String({ examples: ['dlv_0UqZ3kP1000aB7cD9eFg'] }),
    webhookId: Type.String(),
    reason: Type.Enum([...deliveryReasons], { description: 'Why it was sent.' }),
    eventId: Type.String({ description: 'The `webhook-id` it is sent with, the same in every attempt.' }),
    type: Type.String({ examples: ['task.updated'] }),
    sequence: nullable(Type.Integer({ description: 'The sequence of the event; null for a ping.' })),
    status: Status,
    attempts: Type.Integer(),
    nextAttemptAt: nullable(Timestamp),
    responseStatus: nullable(Type.Integer({ description: 'Of the last attempt; null where there was no answer.' })),
    responseBody: nullable(Type.String({ description: 'The first 1,024 bytes of the last response.' })),
    error: nullable(Type.String({ description: 'Why the last attempt failed.' })),
    durationMs: nullable(Type.Integer({ description: 'How long the last attempt took.' })),
    createdAt: Timestamp,
    attemptedAt: nullable(Timestamp),
  },
  { $id: 'WebhookDelivery' },
)
export type Delivery = Static<typeof Delivery>

export const DeliveryList = Type.Object(
  {
    status: Type.Optional(Status),
    limit: Type.Optional(Limit(50, 100)),
    cursor: Type.Optional(Cursor),
  },
  { additionalProperties: false },
)
export type DeliveryList = Static<typeof DeliveryList>

export const DeliveryId = Type.String({ examples: ['dlv_0UqZ3kP1000aB7cD9eFg'] })
