import assert from 'node:assert/strict'
import { type ErrorCode, errorCodes } from 'worklore/dist/src/base/error-reasons.js'
import type { Answer } from './harness.js'

/** Expects one error of the closed list, with its status, and answers its body. */
export const expectError = (answer: Answer, code: ErrorCode) => {
  assert.equal(answer.body?.error?.code, code, `${answer.status} ${answer.text.slice(0, 500)}`)
  assert.equal(answer.status, errorCodes[code])
  assert.equal(answer.body.error.requestId, answer.headers['x-request-id'])
  return answer.body.error
}

/** Expects a 400 whose details name exactly these fields. */
export const expectInvalid = (answer: Answer, ...paths: string[]) => {
  const { details } = expectError(answer, 'VALIDATION_ERROR')
  assert.deepEqual(details.map(({ path }: { path: string }) => path).sort(), paths.sort(), answer.text)
}

export const expectStatus = (answer: Answer, status: number): Answer => {
  assert.equal(answer.status, status, answer.text.slice(0, 500))
  return answer
}
