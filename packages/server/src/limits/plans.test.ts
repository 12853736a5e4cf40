import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { loadPlans } from './plans.js'

describe('plans', () => {
  const folder = mkdtempSync(join(tmpdir(), 'worklore-plans-'))
  const path = join(folder, 'plans.json')
  const load = (text: string) => {
    writeFileSync(path, text)
    return loadPlans(path)
  }
  after(() => rmSync(folder, { recursive: true }))

  it('are the built-in ones without a file', () => {
    const plans = loadPlans()
    assert.deepEqual([...plans.keys()], ['free', 'pro', 'self-hosted'])
    assert.equal(plans.get('self-hosted')?.requestsPerDay, 5_000_000_000)
  })

  it('are changed in part, and added whole', () => {
    const team = {
      requestsPerMinute: 600,
      requestsPerDay: 100_000,
      taskCreatesPerHour: 500,
      searchesPerMinute: 90,
      knowledgeWritesPerHour: 300,
    }
    const plans = load(JSON.stringify({ free: { requestsPerDay: 2_000 }, team }))
    assert.deepEqual(plans.get('team'), {
      name: 'team',
      ...team,
      sessionReadsPerMinute: 600,
      sessionWritesPerMinute: 600,
      concurrentRequests: 64,
    })
    const busy = load(JSON.stringify({ team: { ...team, concurrentRequests: 5 }, free: { concurrentRequests: 4 } }))
    assert.equal(busy.get('team')?.concurrentRequests, 5)
    assert.equal(busy.get('free')?.concurrentRequests, 4)
    assert.equal(plans.get('free')?.concurrentRequests, 16)
    assert.equal(plans.get('free')?.requestsPerDay, 2_000)
    assert.equal(plans.get('free')?.requestsPerMinute, 60)
    assert.equal(loadPlans().get('free')?.requestsPerDay, 1_000)
  })

  it('are refused with every wrong entry named at once', () => {
    const wrong = {
      free: { requestsPerMinute: 0, requestsPerDay: 1.5, requestPerHour: 3 },
      pro: { searchesPerMinute: '30', name: 'x' },
      'Big Team': { requestsPerMinute: 5 },
      list: [],
    }
    assert.throws(
      () => load(JSON.stringify(wrong)),
      (error: Error) => {
        for (const entry of [
          'free.requestsPerMinute',
          'free.requestsPerDay',
          'free.requestPerHour',
          'pro.searchesPerMinute',
          'pro.name',
          'Big Team',
          'knowledgeWritesPerHour',
          'list',
        ]) {
          assert.match(error.message, new RegExp(entry.replace('.', '\\.')))
        }
        return true
      },
    )
    for (const [at, value] of [-1, 1e16, null, true, [5]].entries()) {
      assert.throws(() => load(JSON.stringify({ free: { requestsPerDay: value } })), /free\.requestsPerDay/, String(at))
    }
    assert.throws(() => load('{"__proto__": {"requestsPerDay": 5}}'), /__proto__/)
  })

  it('are refused if the file cannot be read', () => {
    assert.throws(() => load('{"free":'), /cannot be read as JSON/)
    assert.throws(() => load('[]'), /must be an object/)
    assert.throws(() => loadPlans(join(folder, 'none.json')), /none\.json/)
  })
})
