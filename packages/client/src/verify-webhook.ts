import type { ChangeEvent } from './event.js'

/** The request is not what the holder of the secret has sent just now. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
}

export interface VerifyWebhookOptions {
  /** How far the sender's clock and ours may be apart; it also bounds how long a caught request can be sent again. */
  toleranceSeconds?: number | undefined
}

type WebhookHeaders = Headers | Record<string, string | string[] | undefined>

const headerOf = (headers: WebhookHeaders, name: string): string => {
  const value =
    typeof headers.get === 'function'
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  if (typeof value !== 'string') throw new WebhookVerificationError(`The header ${name} is missing.`)
  return value
}

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

const bytesOfBody = (body: unknown): Uint8Array => {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  if (body instanceof ArrayBuffer) return new Uint8Array(body)
  if (body instanceof Uint8Array) return body
  throw new WebhookVerificationError('Pass the raw body as text or bytes, not parsed.')
}

const joined = (head: string, body: Uint8Array): Uint8Array<ArrayBuffer> => {
  const start = new TextEncoder().encode(head)
  const all = new Uint8Array(start.length + body.length)
  all.set(start)
  all.set(body, start.length)
  return all
}

/**
 * Checks a webhook by Standard Webhooks and gives its event. `body` is the request's body as it came, not parsed and
 * written again.
 */
export const verifyWebhook = async (
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string,
  { toleranceSeconds = 300 }: VerifyWebhookOptions = {},
): Promise<ChangeEvent> => {
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const signatures = headerOf(headers, 'webhook-signature')
  const apartSeconds = Math.abs(Date.now() / 1000 - Number(timestamp))
  if (!/^\d+$/.test(timestamp) || apartSeconds > toleranceSeconds) {
    throw new WebhookVerificationError('The timestamp is invalid or too far from the current time.')
  }

  const rawKey = typeof secret === 'string' ? bytesOf(secret.replace(/^whsec_/, '')) : undefined
  if (!rawKey?.length)
    throw new WebhookVerificationError('Invalid webhook secret: must be "whsec_" followed by base64.')
  const key = await crypto.subtle.importKey('raw', rawKey, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
  const bytes = bytesOfBody(body)
  const signed = joined(`${id}.${timestamp}.`, bytes)
  // While a secret is being rotated there are several.
  for (const entry of signatures.split(' ')) {
    const [version, text = ''] = entry.split(',', 2)
    const signature = version === 'v1' ? bytesOf(text) : undefined
    // Compares in constant time.
    if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed))) {
      return JSON.parse(new TextDecoder().decode(bytes))
    }
  }
  throw new WebhookVerificationError('No signature matches: the secret is wrong or the body was modified.')
}
