import type { Webhook } from 'worklore-client'

export type WebhookFormat = Webhook['format']

export const formatNames: Readonly<Record<WebhookFormat, string>> = {
  standard: 'Signed JSON',
  slack: 'Slack',
  teams: 'Microsoft Teams',
}

/** The URL of a chat is a secret: the service shows no more than its origin. */
export const isChat = (format: WebhookFormat): boolean => format !== 'standard'

/** Whose inbox a webhook sends. */
export const inboxText = (inboxOf: string, nameOf: (userId: string) => string | undefined): string =>
  inboxOf === 'humans' ? 'What needs people' : `What needs ${nameOf(inboxOf) ?? 'a deleted user'}`

/** What a webhook sends. */
export const sentText = ({ events, inboxOf }: Webhook, nameOf: (userId: string) => string | undefined): string =>
  inboxOf === null ? events.join(', ') : inboxText(inboxOf, nameOf)
