import assert from 'node:assert/strict'
import type { RawAnswer } from 'worklore-testing/raw-http'
import { errorCodes } from '../../src/base/error-reasons.js'

/** Whatever a client sends: a 4xx in our own form, with our own headers. */
export const expectRefusal = (answer: RawAnswer | undefined, what: string): RawAnswer => {
  assert.ok(answer, `${what}: closed without an answer`)
  const { status, headers, body } = answer
  assert.ok(status >= 400 && status < 500, `${what}: ${status} ${answer.text.slice(0, 300)}`)
  assert.equal(
    errorCodes[body?.error?.code as keyof typeof errorCodes],
    status,
    `${what}: ${answer.text.slice(0, 300)}`,
  )
  assert.equal(body.error.requestId, headers['x-request-id'], what)
  assert.match(headers['content-type'] ?? '', /^application\/json/, what)
  for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) {
    assert.match(headers[name] ?? '', /^\d+$/, `${what} lacks ${name}`)
  }
  return answer
}
