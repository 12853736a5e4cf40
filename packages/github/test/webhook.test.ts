import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { type ClientRequest, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { startWebhookServer } from '../src/webhook.js'

const secret = 'a secret of the webhook'
const mebibyte = 1_024 * 1_024

const signatureOf = (body: string): string => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

const start = async (test: TestContext) => {
  const issues: number[] = []
  const onIssue = (number: number): void => void issues.push(number)
  const server = await startWebhookServer({ host: '127.0.0.1', port: 0, secret, repo: 'acme/site', onIssue })
  test.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const open = (headers: Record<string, string | number>): ClientRequest =>
    request({ host: '127.0.0.1', port, method: 'POST', headers })
  const send = async (body: string, signature = signatureOf(body)): Promise<number | undefined> => {
    const sent = open({ 'x-hub-signature-256': signature, 'content-length': Buffer.byteLength(body) })
    sent.end(body)
    const [response] = await once(sent, 'response')
    response.resume()
    return response.statusCode
  }
  return { issues, open, send }
}

const statusBeforeBody = async (sent: ClientRequest): Promise<number | undefined> => {
  sent.on('error', () => {})
  sent.flushHeaders()
  const [response] = await once(sent, 'response')
  sent.destroy()
  return response.statusCode
}

describe('the webhook server', () => {
  it('takes what is signed, and says which issue it is about', async (test) => {
    const { issues, send } = await start(test)
    const body = JSON.stringify({ repository: { full_name: 'Acme/Site' }, issue: { number: 7 } })
    assert.equal(await send(body), 202)
    assert.equal(await send(body.replace('7', '8'), signatureOf(body)), 401)
    assert.equal(await send('{', signatureOf('{')), 400)
    assert.deepEqual(issues, [7])
  })

  it('refuses by the headers alone what cannot be a delivery', async (test) => {
    const { open } = await start(test)
    const signature = signatureOf('')
    assert.equal(await statusBeforeBody(open({ 'content-length': 20 * mebibyte })), 401)
    assert.equal(await statusBeforeBody(open({ 'content-length': 9, 'x-hub-signature-256': 'sha256=no' })), 401)
    const tooLarge = { 'content-length': 26 * mebibyte, 'x-hub-signature-256': signature }
    assert.equal(await statusBeforeBody(open(tooLarge)), 413)
  })

  it('keeps little of large bodies on many connections', async (test) => {
    const { issues, open } = await start(test)
    const chunk = Buffer.alloc(mebibyte / 4, ' ')
    const chunks = 80
    const before = process.memoryUsage()
    let mostBytes = 0
    const sendLarge = async (): Promise<number | undefined> => {
      const sent = open({ 'x-hub-signature-256': signatureOf('other'), 'content-length': chunk.length * chunks })
      const answered = once(sent, 'response')
      for (let count = 0; count < chunks; count++) {
        if (!sent.write(chunk)) await once(sent, 'drain')
        mostBytes = Math.max(mostBytes, process.memoryUsage().arrayBuffers - before.arrayBuffers)
      }
      sent.end()
      const [response] = await answered
      response.resume()
      return response.statusCode
    }
    const statuses = await Promise.all(Array.from({ length: 20 }, sendLarge))
    assert.deepEqual([...new Set(statuses)], [401])
    assert.deepEqual(issues, [])
    // The full bodies would take 400 MiB.
    assert.ok(mostBytes < 200 * mebibyte, `${Math.round(mostBytes / mebibyte)} MiB`)
  })

  it('accepts a signed body that is too large to keep', async (test) => {
    const { issues, send } = await start(test)
    const payload = { repository: { full_name: 'acme/site' }, issue: { number: 7 }, filler: 'x'.repeat(3 * mebibyte) }
    assert.equal(await send(JSON.stringify(payload)), 202)
    assert.deepEqual(issues, [])
  })
})
