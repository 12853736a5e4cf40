import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ApiError } from 'worklore-client'
import { responseOf, sentencesOfSamples } from 'worklore-testing/error-samples'
import { errorText } from '../../src/api/error-text.js'

it('the console has a sentence for each reason', async () => {
  const path = fileURLToPath(new URL('../../../test/unit/error-sentences.txt', import.meta.url))
  const time = new Date('2030-01-31T09:00:00.000Z').toLocaleString()
  const said = await sentencesOfSamples((sample) => {
    const { status, fields } = responseOf(sample)
    return errorText(new ApiError(status, fields)).replaceAll(time, 'TIME')
  })
  assert.equal(said, readFileSync(path, 'utf8'))
})
