import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Agenda, createAgenda } from './agenda.js'

const taken = (agenda: Agenda, nowMs: number, mayRetry = true): string[] => {
  const tenantIds: string[] = []
  for (let next = agenda.take(nowMs, mayRetry); next; next = agenda.take(nowMs, mayRetry)) tenantIds.push(next.tenantId)
  return tenantIds
}

describe('the agenda of the embedder', () => {
  it('has those that have committed first, the others in turn, and those that have failed last', () => {
    const agenda = createAgenda()
    agenda.planRetry('failed', { atMs: 10, failures: 3 })
    agenda.plan('planned', 0, 0)
    agenda.plan('next', 0, 0)
    agenda.hear('heard', 200)
    assert.equal(agenda.countWaiting(), 2)
    assert.deepEqual(taken(agenda, 200), ['heard', 'planned', 'next', 'failed'])
    assert.deepEqual(taken(agenda, 1_000), [])
  })

  it('has each tenant once, at the earliest of its times', () => {
    const agenda = createAgenda()
    agenda.plan('a', 500, 0)
    agenda.plan('a', 300, 0)
    agenda.plan('a', 900, 0)
    agenda.plan('b', 400, 0)
    agenda.hear('b', 200)
    agenda.hear('b', 250)
    assert.equal(agenda.nextMs(true), 200)
    assert.deepEqual(taken(agenda, 199), [])
    assert.deepEqual(taken(agenda, 200), ['b'])
    assert.equal(agenda.nextMs(true), 300)
    assert.deepEqual(taken(agenda, 300), ['a'])
    assert.deepEqual(taken(agenda, 1_000), [])
    assert.equal(agenda.nextMs(true), Number.POSITIVE_INFINITY)
  })

  it('leaves one that has failed alone until its time, whatever else asks for it', () => {
    const agenda = createAgenda()
    agenda.hear('a', 0)
    agenda.plan('a', 0, 0)
    agenda.planRetry('a', { atMs: 100, failures: 2 })
    agenda.hear('a', 10)
    agenda.plan('a', 10, 10)
    assert.deepEqual(taken(agenda, 99), [])
    assert.equal(agenda.nextMs(true), 100)
    assert.equal(agenda.nextMs(false), Number.POSITIVE_INFINITY)
    assert.equal(agenda.take(100, false), undefined)
    assert.deepEqual(agenda.take(100, true), { tenantId: 'a', failures: 2 })
    agenda.hear('a', 110)
    assert.deepEqual(agenda.take(110, true), { tenantId: 'a', failures: 0 })
  })
})
