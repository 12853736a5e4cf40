import assert from 'node:assert/strict'
import { it } from 'node:test'
import { ApiError, type ErrorFields } from 'worklore-client'
import { failureOf } from '../src/failure.js'

const lineOf = (details: ErrorFields['details'], projectSource?: string): string =>
  failureOf(
    new ApiError(400, { code: 'VALIDATION_ERROR', reason: 'invalid_input', message: 'Invalid request', details }),
    'http://x',
    projectSource,
  ).line

it('wl names fields by its options', () => {
  assert.equal(lineOf([{ path: 'dueDate', message: 'must be a date' }]), '--due must be a date.')
  assert.equal(
    lineOf([
      { path: 'tags.0', message: 'must not be empty' },
      { path: 'validUntil', message: 'must be a timestamp' },
      { path: 'supersedes.1', message: 'names no item of the same place: "x"' },
    ]),
    '--tag must not be empty; --valid-until must be a timestamp; --supersedes names no item of the same place: "x".',
  )
})

it('wl names the setting of a project that does not exist', () => {
  const unknown = [{ path: 'projectId', message: 'project "X" not found', record: 'project' }]
  assert.equal(lineOf(unknown), 'Project "X" not found.')
  assert.equal(lineOf(unknown, 'WORKLORE_PROJECT'), 'Project "X" not found (set by WORKLORE_PROJECT).')
})

it('wl shows the message of an error without a reason', () => {
  const failure = failureOf(new ApiError(409, { code: 'CONFLICT', message: 'It is so.' }), 'http://x')
  assert.deepEqual([failure.line, failure.exitCode], ['It is so.', 5])
})
