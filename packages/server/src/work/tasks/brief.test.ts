import assert from 'node:assert/strict'
import { it } from 'node:test'
import { toJson } from '../../base/json.js'
import { briefTask, briefTasks } from './brief.js'
import type { Task } from './schema.js'

const task = {
  id: 'ACME-1',
  title: 'Fix the "login" redirect',
  description: 'A long text. '.repeat(100),
  labels: ['bug'],
  metadata: { description: 'kept' },
} as unknown as Task
const { description, ...brief } = task

it('leaves the description out of a task, and nothing else', () => {
  assert.deepEqual(briefTask(toJson(task)), brief)
})

it('does so for each task of a list, keeping the score of a search', () => {
  const found = [
    { ...task, score: 0.75 },
    { ...task, id: 'ACME-2', score: 0.5 },
  ]
  assert.deepEqual(briefTasks(toJson(found)), [
    { ...brief, score: 0.75 },
    { ...brief, id: 'ACME-2', score: 0.5 },
  ])
  assert.deepEqual(briefTasks('[]'), [])
})
