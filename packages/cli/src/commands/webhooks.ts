import type { Webhook, WebhookDelivery } from 'worklore-client'
import { command, oneAnswer } from '../command.js'
import { listOf } from '../input.js'
import { userIdOf } from '../named-records.js'
import { limitOption, text, texts } from '../option.js'
import { takeLimited, takeRecords } from '../pages.js'
import { confirm } from '../terminal/prompt.js'
import { type Cell, listAnswer } from '../terminal/table.js'
import { localTime, relative } from '../times.js'

const stateOf = ({ active, disabledReason, failingSince }: Webhook): Cell => {
  if (!active) return { text: disabledReason ? `off: ${disabledReason}` : 'off', style: 'red' }
  return failingSince
    ? { text: `failing for ${relative(failingSince)}`, style: 'yellow' }
    : { text: 'on', style: 'green' }
}

export const webhooks = command({
  run: async (cli) => {
    const wl = cli.client()
    return listAnswer(await takeRecords((limit) => wl.webhooks.list({ limit })), 'id', [
      ['ID', 'id', 'cyan'],
      ['STATE', stateOf],
      ['EVENTS', ({ events, inboxOf }) => (inboxOf === null ? events.join(',') : `inbox of ${inboxOf}`)],
      ['URL', 'url'],
    ])
  },
})

export const create = command({
  words: ['URL'],
  more: 'Prints its signing secret, once. -p limits it to a project.',
  options: {
    event: texts('TYPE', 'task.created, task.* or *; * if not given'),
    format: text('CHAT', 'For a chat: slack or teams'),
    'inbox-of': text('USER', 'What needs a user, by id, handle, name or email, or humans; instead of --event'),
    description: text('TEXT', 'What it is for', 'd'),
  },
  run: async (cli, { event, format, description, 'inbox-of': inboxOf }, [url]) => {
    const { project, isProjectExplicit } = cli.settings
    const wl = cli.client()
    const user = inboxOf === 'humans' ? inboxOf : await userIdOf(wl, inboxOf)
    const webhook = await wl.webhooks.create({
      url: url!,
      events: listOf(event) ?? (user ? undefined : ['*']),
      ...(user && { inboxOf: user }),
      ...(format && { format: format as Webhook['format'] }),
      ...(isProjectExplicit && { projectId: project }),
      description,
    })
    const { id, secret } = webhook
    return oneAnswer(
      webhook,
      id,
      `Created ${id}. Its signing secret, shown only once:\n\n  ${secret}`,
      `${id}\t${secret}`,
    )
  },
})

const switching = (active: boolean, what: string) =>
  command({
    words: ['WEBHOOK-ID'],
    more: 'Switched on, it goes on where it stopped.',
    run: async (cli, _values, [id]) => {
      const webhook = await cli.client().webhooks.update(id!, { active })
      return oneAnswer(webhook, webhook.id, `${what} ${webhook.id}: ${webhook.url}`)
    },
  })

export const enable = switching(true, 'Enabled')
export const disable = switching(false, 'Disabled')

export const ping = command({
  words: ['WEBHOOK-ID'],
  run: async (cli, _values, [id]) => {
    const delivery = await cli.client().webhooks.ping(id!)
    return oneAnswer(delivery, delivery.id, `Sent ${delivery.id}; see wl webhooks deliveries ${id}.`)
  },
})

export const deliveries = command({
  words: ['WEBHOOK-ID'],
  more: 'Newest first.',
  options: { status: text('STATE', 'pending, retrying, succeeded or failed'), limit: limitOption(20) },
  run: async (cli, values, [id]) => {
    const wl = cli.client()
    const status = values.status as WebhookDelivery['status'] | undefined
    const list = (limit: number) => wl.webhooks.deliveries(id!, { status, limit })
    return listAnswer(await takeLimited(cli, list, values.limit, 20), 'id', [
      ['ID', 'id', 'cyan'],
      ['STATUS', (delivery) => ({ text: delivery.status, style: delivery.status === 'failed' ? 'red' : 'green' })],
      ['ATTEMPTS', 'attempts'],
      ['RESPONSE', 'responseStatus'],
      ['CREATED', ({ createdAt }) => localTime(createdAt)],
      ['TYPE', 'type'],
      ['ERROR', 'error'],
    ])
  },
})

export const rm = command({
  words: ['WEBHOOK-ID'],
  run: async (cli, _values, [id]) => {
    await confirm(cli, `This deletes the webhook ${id}.`)
    return oneAnswer(await cli.client().webhooks.delete(id!), id!, `Deleted ${id}.`)
  },
})
