import { createHmac, randomBytes } from 'node:crypto'

const marker = 'whsec_'

/** Where a secret belongs: encrypted for one webhook, it is of no use for another. */
export const secretPlace = (tenantId: string, webhookId: string): string => `webhook-secret:${tenantId}:${webhookId}`

/** The same for the URL of a chat. */
export const urlPlace = (tenantId: string, webhookId: string): string => `webhook-url:${tenantId}:${webhookId}`

export const newSigningSecret = (): string => marker + randomBytes(32).toString('base64')

/** The headers of the Standard Webhooks specification; several secrets sign while one follows the other. */
export const signedHeaders = (
  id: string,
  nowMs: number,
  payload: string,
  secrets: readonly string[],
): Record<string, string> => {
  const timestamp = String(Math.floor(nowMs / 1000))
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(marker.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${payload}`).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
