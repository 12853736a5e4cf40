import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Type } from 'typebox'
import { createValidators } from '../../http/api/validation.js'
import { argumentOf } from './task-arguments.js'

describe('the argument of a field', () => {
  const problemsOf = (argument: Parameters<typeof argumentOf>[0], initial: unknown) => {
    const validate = createValidators().body(Type.Object({ estimate: argumentOf(argument, initial) }))
    return (estimate: unknown) => validate({ estimate })
  }

  it('accepts null for a nullable number', () => {
    const problems = problemsOf(Type.Number({ minimum: 0 }), null)
    assert.deepEqual([problems(3), problems(null)], [[], []])
    assert.deepEqual(problems('none'), [{ path: 'estimate', message: 'must be a number or null' }])
    assert.deepEqual(problems(-1), [{ path: 'estimate', message: 'must be at least 0' }])
  })

  it('is unchanged for any other field', () => {
    assert.equal(problemsOf(Type.Number(), 0)(null).length, 1)
    const text = Type.String()
    assert.equal(argumentOf(text, null), text)
  })
})
