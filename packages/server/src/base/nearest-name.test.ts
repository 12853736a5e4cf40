import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { didYouMean, nearestField, nearestName } from './nearest-name.js'

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

  it('of a field is also found by what others call it', () => {
    const argumentNames = ['id', 'tasks', 'text', 'claim', 'blocked_by']
    for (const [name, field] of [
      ['taskId', 'id'],
      ['task_id', 'id'],
      ['body', 'text'],
      ['blockedBy', 'blocked_by'],
      ['token', 'claim'],
      ['task', 'id'],
    ]) {
      assert.equal(nearestField(name!, argumentNames), field, name)
    }
    assert.equal(nearestField('titel', known), 'title')
    assert.equal(nearestField('a'.repeat(100_000), known), undefined)
  })

  it('of what names a record is the name that it has there', () => {
    for (const name of ['id', 'task_id', 'taskId', 'key']) {
      assert.equal(nearestField(name, ['id', 'claim', 'outcome']), 'id', name)
      assert.equal(nearestField(name, ['of', 'since', 'limit']), 'of', name)
      assert.equal(nearestField(name, ['key', 'project', 'content']), 'key', name)
    }
    assert.equal(nearestField('key', ['prefix', 'project', 'cursor']), 'prefix')
    assert.equal(nearestField('id', ['query', 'in', 'limit']), undefined)
  })

  it('ends a message as a question', () => {
    assert.equal(didYouMean('titel', known), '; did you mean title?')
    assert.equal(didYouMean('colour', known), '')
  })
})
