import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError, unavailable } from '../../base/errors.js'
import { obstacleOf } from './put-back.js'

describe('what keeps a record from being put back', () => {
  test('is a refusal', () => {
    const refusal = new AppError('in_use', 'The key is taken.')
    assert.deepEqual(obstacleOf(refusal), { reason: 'refused', message: 'The key is taken.', laterChange: undefined })
  })

  test('is not a failure of the database, which ends the undo', () => {
    const failure = unavailable('The database cannot be reached. Try again shortly.', 2, new Error('lost'))
    assert.throws(() => obstacleOf(failure), failure)
    const unknown = new Error('lost')
    assert.throws(() => obstacleOf(unknown), unknown)
  })
})
