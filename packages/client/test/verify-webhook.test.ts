import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { verifyWebhook, WebhookVerificationError } from '../src/index.js'

const secret = `whsec_${Buffer.from('a secret of twenty-four..').toString('base64')}`
const other = `whsec_${Buffer.from('another of twenty-four....').toString('base64')}`
const event = { id: 'evt_1', type: 'task.created', data: { title: 'Grüße 🙂' } }
const body = JSON.stringify(event)

/** Signed by the official package. */
const signed = (at = new Date(), ...secrets: string[]): Record<string, string> => ({
  'webhook-id': 'evt_1',
  'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
  'webhook-signature': (secrets.length > 0 ? secrets : [secret])
    .map((each) => new Webhook(each).sign('evt_1', at, body))
    .join(' '),
})

describe('verifyWebhook', () => {
  it('takes what the official package signs, as text or bytes, with headers of either kind', async () => {
    assert.deepEqual(await verifyWebhook(body, signed(), secret), event)
    assert.deepEqual(await verifyWebhook(new TextEncoder().encode(body), new Headers(signed()), secret), event)
    const upper = Object.fromEntries(Object.entries(signed()).map(([name, value]) => [name.toUpperCase(), value]))
    assert.deepEqual(await verifyWebhook(Buffer.from(body), upper, secret), event)
  })

  it('takes an ArrayBuffer, and says what is wrong with a parsed body or a missing secret', async () => {
    assert.deepEqual(await verifyWebhook(new TextEncoder().encode(body).buffer, signed(), secret), event)
    await assert.rejects(verifyWebhook(event as never, signed(), secret), WebhookVerificationError)
    await assert.rejects(verifyWebhook(body, signed(), undefined as never), WebhookVerificationError)
  })

  it('takes one of several signatures while a secret is rotated', async () => {
    assert.deepEqual(await verifyWebhook(body, signed(new Date(), other, secret), secret), event)
    const withNewer = signed()
    withNewer['webhook-signature'] = `v2,abc v1,not-base64! ${withNewer['webhook-signature']}`
    assert.deepEqual(await verifyWebhook(body, withNewer, secret), event)
  })

  it('refuses another body, id, time, secret or signature', async () => {
    const refused = (changes: Record<string, string | undefined>, text = body, by = secret) =>
      assert.rejects(verifyWebhook(text, { ...signed(), ...changes }, by), WebhookVerificationError)
    await refused({}, `${body} `)
    await refused({ 'webhook-id': 'evt_2' })
    await refused({ 'webhook-timestamp': String(Math.floor(Date.now() / 1000) - 1) })
    await refused({}, body, other)
    await refused({}, body, 'whsec_')
    await refused({}, body, 'whsec_%%%')
    await refused({ 'webhook-signature': 'v1,' })
    await refused({ 'webhook-signature': signed()['webhook-signature']!.replace('v1,', 'v1a,') })
    await refused({ 'webhook-signature': undefined })
    await refused({ 'webhook-timestamp': 'now' })
  })

  it('refuses what is older or newer than the tolerance', async () => {
    for (const apartMs of [-301_000, 310_000]) {
      const headers = signed(new Date(Date.now() + apartMs))
      await assert.rejects(verifyWebhook(body, headers, secret), WebhookVerificationError)
      assert.deepEqual(await verifyWebhook(body, headers, secret, { toleranceSeconds: 600 }), event)
    }
  })
})
