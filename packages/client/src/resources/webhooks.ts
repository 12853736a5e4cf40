import { recordPath } from '../address.js'
import { createListing, type Listing } from '../listing.js'
import type { CallOptions, PostOptions } from '../options.js'
import { remove } from '../removal.js'
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

const pathOf = (id: string, ...rest: string[]): string => recordPath('webhooks', id, ...rest)
const deliveryPath = (id: string, deliveryId: string, ...rest: string[]): string =>
  pathOf(id, 'deliveries', deliveryId, ...rest)

export const createWebhooks = (transport: Transport) => ({
  /** `secret` is null where the first answer was lost on the way: rotate it to get another. */
  create: (webhook: CreateWebhookBody, options: PostOptions = {}): Promise<WebhookWithSecret> =>
    transport.fetchData({ method: 'POST', path: '/v1/webhooks', body: webhook, ...options }),
  get: async (id: string, options: CallOptions = {}): Promise<Webhook> =>
    transport.fetchData({ method: 'GET', path: pathOf(id), ...options }),
  list: (query: ListWebhooksQuery = {}, options: CallOptions = {}): Listing<ListWebhooksAnswer> =>
    createListing(transport, '/v1/webhooks', query, options),
  update: async (id: string, changes: UpdateWebhookBody, options: CallOptions = {}): Promise<Webhook> =>
    transport.fetchData({ method: 'PATCH', path: pathOf(id), body: changes, ...options }),
  delete: async (id: string, options: CallOptions = {}) => remove(transport, pathOf(id), { id }, options),
  /** A new secret, shown once, as in `create`; the old one signs beside it for a while. */
  rotateSecret: async (
    id: string,
    rotation: RotateWebhookSecretBody = {},
    options: PostOptions = {},
  ): Promise<WebhookWithSecret> =>
    transport.fetchData({ method: 'POST', path: pathOf(id, 'rotate-secret'), body: rotation, ...options }),
  /** Sends a message that tells of no change. */
  ping: async (id: string, options: PostOptions = {}): Promise<WebhookDelivery> =>
    transport.fetchData({ method: 'POST', path: pathOf(id, 'ping'), ...options }),
  /** Sends a range of the event log again, alongside new events. */
  replay: async (id: string, range: ReplayWebhookBody, options: PostOptions = {}): Promise<WebhookReplay> =>
    transport.fetchData({ method: 'POST', path: pathOf(id, 'replay'), body: range, ...options }),
  /** What was sent, the newest first. */
  deliveries: (
    id: string,
    query: ListWebhookDeliveriesQuery = {},
    options: CallOptions = {},
  ): Listing<ListWebhookDeliveriesAnswer> => createListing(transport, pathOf(id, 'deliveries'), query, options),
  delivery: async (id: string, deliveryId: string, options: CallOptions = {}): Promise<WebhookDelivery> =>
    transport.fetchData({ method: 'GET', path: deliveryPath(id, deliveryId), ...options }),
  redeliver: async (id: string, deliveryId: string, options: PostOptions = {}): Promise<WebhookDelivery> =>
    transport.fetchData({ method: 'POST', path: deliveryPath(id, deliveryId, 'redeliver'), ...options }),
})

export type Webhooks = ReturnType<typeof createWebhooks>
