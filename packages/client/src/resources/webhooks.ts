import { recordPath } from '../address.js'
import { createListing, type Listing } from '../listing.js'
import type { CallOptions, PostOptions } from '../options.js'
import { type Removed, remove } from '../removal.js'
import type { Transport } from '../transport.js'
import type {
  CreateWebhookBody,
  ListWebhookDeliveriesAnswer,
  ListWebhookDeliveriesQuery,
  ListWebhooksAnswer,
  ListWebhooksQuery,
  ReplayWebhookBody,
  RotateWebhookSecretBody,
  UpdateWebhookBody,
  Webhook,
  WebhookDelivery,
  WebhookReplay,
  WebhookWithSecret,
} from '../types.gen.js'

export interface Webhooks {
  /** Creates a webhook. `secret` is null if the first response was lost: rotate it to get another. */
  create(webhook: CreateWebhookBody, options?: PostOptions): Promise<WebhookWithSecret>
  get(id: string, options?: CallOptions): Promise<Webhook>
  list(query?: ListWebhooksQuery, options?: CallOptions): Listing<ListWebhooksAnswer>
  update(id: string, changes: UpdateWebhookBody, options?: CallOptions): Promise<Webhook>
  delete(id: string, options?: CallOptions): Promise<Removed>
  /** Replaces the secret. The new one is shown once; for a while, deliveries are signed with both. */
  rotateSecret(id: string, rotation?: RotateWebhookSecretBody, options?: PostOptions): Promise<WebhookWithSecret>
  /** Sends a test message that reports no change. */
  ping(id: string, options?: PostOptions): Promise<WebhookDelivery>
  /** Sends a range of the event log again, alongside new events. */
  replay(id: string, range: ReplayWebhookBody, options?: PostOptions): Promise<WebhookReplay>
  /** Lists deliveries, newest first. */
  deliveries(
    id: string,
    query?: ListWebhookDeliveriesQuery,
    options?: CallOptions,
  ): Listing<ListWebhookDeliveriesAnswer>
  delivery(id: string, deliveryId: string, options?: CallOptions): Promise<WebhookDelivery>
  redeliver(id: string, deliveryId: string, options?: PostOptions): Promise<WebhookDelivery>
}

const pathOf = (id: string, ...rest: string[]): string => recordPath('webhooks', id, ...rest)
const deliveryPath = (id: string, deliveryId: string, ...rest: string[]): string =>
  pathOf(id, 'deliveries', deliveryId, ...rest)

export const createWebhooks = (transport: Transport): Webhooks => ({
  create: (body, options) => transport.fetchData({ method: 'POST', path: '/v1/webhooks', body, ...options }),
  get: async (id, options) => transport.fetchData({ method: 'GET', path: pathOf(id), ...options }),
  list: (query = {}, options = {}) => createListing(transport, '/v1/webhooks', query, options),
  update: async (id, body, options) => transport.fetchData({ method: 'PATCH', path: pathOf(id), body, ...options }),
  delete: async (id, options) => remove(transport, pathOf(id), { id }, options),
  rotateSecret: async (id, body = {}, options = {}) =>
    transport.fetchData({ method: 'POST', path: pathOf(id, 'rotate-secret'), body, ...options }),
  ping: async (id, options) => transport.fetchData({ method: 'POST', path: pathOf(id, 'ping'), ...options }),
  replay: async (id, body, options) =>
    transport.fetchData({ method: 'POST', path: pathOf(id, 'replay'), body, ...options }),
  deliveries: (id, query = {}, options = {}) => createListing(transport, pathOf(id, 'deliveries'), query, options),
  delivery: async (id, deliveryId, options) =>
    transport.fetchData({ method: 'GET', path: deliveryPath(id, deliveryId), ...options }),
  redeliver: async (id, deliveryId, options) =>
    transport.fetchData({ method: 'POST', path: deliveryPath(id, deliveryId, 'redeliver'), ...options }),
})
