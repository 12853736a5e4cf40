import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ApiError } from 'worklore-client'
import { responseOf, sentencesOfSamples } from 'worklore-testing/error-samples'
import { failureOf } from '../src/failure.js'

it('wl has a line for each reason, with its exit code', async () => {
  const expected = readFileSync(fileURLToPath(new URL('../../test/error-sentences.txt', import.meta.url)), 'utf8')
  const said = await sentencesOfSamples((sample) => {
    const { status, fields } = responseOf(sample)
    const { line, exitCode } = failureOf(new ApiError(status, fields), 'http://x')
    return `${exitCode} ${line}`
  })
  assert.equal(said, expected)
  for (const line of said.split('\n')) {
    assert.doesNotMatch(
      line,
      /\/v1\/|\b(GET|POST|PUT|PATCH|DELETE) \/|\bheader\b|If-(None-)?Match|Worklore-Claim|projectId/,
    )
  }
})
