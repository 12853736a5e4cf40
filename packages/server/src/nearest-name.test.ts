import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { didYouMean, nearestName } from './nearest-name.js'

const known = ['title', 'description', 'status', 'assigneeId', 'dueDate', 'labels']

describe('the nearest name', () => {
  for (const [name, nearest] of [
    ['titel', 'title'],
    ['tilte', 'title'],
    ['assignee', 'assigneeId'],
    ['assignee_id', 'assigneeId'],
    ['due_date', 'dueDate'],
    ['label', 'labels'],
    ['Status', 'status'],
    ['desc', 'description'],
  ]) {
    it(`is ${nearest} for ${name}`, () => assert.equal(nearestName(name!, known), nearest))
  }

  for (const name of ['colour', 'x', '', '__proto__', 'a'.repeat(100_000)]) {
    it(`is none for ${JSON.stringify(name.slice(0, 20))}`, () => assert.equal(nearestName(name, known), undefined))
  }

  it('ends a message as a question', () => {
    assert.equal(didYouMean('titel', known), '; did you mean title?')
    assert.equal(didYouMean('colour', known), '')
  })
})
