import assert from 'node:assert/strict'
import { beforeEach, describe, it, type TestContext } from 'node:test'
import { DatabaseSync } from '@photostructure/sqlite'
import fc from 'fast-check'
import { AppError } from '../../base/errors.js'
import { createScheduler } from '../../scheduling/scheduler.js'
import { createGroupCommit } from './group-commit.js'

interface JobPlan {
  rows: number
  ending: 'done' | 'refused' | 'failed'
}

const start = () => {
  const connection = new DatabaseSync(':memory:')
  connection.exec('create table rows (job integer not null, row integer not null)')
  const statements: string[] = []
  const run = (text: string): number => {
    statements.push(text)
    connection.exec(text)
    return 0
  }
  const groupCommit = createGroupCommit(connection, { run }, () => {}, createScheduler())
  let runs = 0
  const add = (job: number, { rows, ending }: JobPlan): Promise<number> =>
    groupCommit.add('a', async () => {
      runs++
      for (let row = 0; row < rows; row++) connection.exec(`insert into rows values (${job}, ${row})`)
      if (ending === 'refused') throw new AppError('in_use', 'refused')
      if (ending === 'failed') throw new Error('failed')
      return job
    })
  const written = (): number[] =>
    connection
      .prepare('select job from rows')
      .all()
      .map((row) => Number((row as { job: number }).job))
  return {
    groupCommit,
    connection,
    addAll: (plans: readonly JobPlan[]) => Promise.allSettled(plans.map((plan, job) => add(job, plan))),
    written,
    runs: () => runs,
    count: (text: string) => statements.filter((statement) => statement === text).length,
  }
}

describe('jobs that share a commit on SQLite', () => {
  // However busy the machine is, no time passes in their batch.
  beforeEach((test) => void (test as TestContext).mock.method(performance, 'now', () => 0))

  it('run once and without savepoints, though one is refused before it has written', async () => {
    const { addAll, written, runs, count } = start()
    const outcomes = await addAll([
      { rows: 1, ending: 'done' },
      { rows: 0, ending: 'refused' },
      { rows: 1, ending: 'done' },
    ])
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    assert.deepEqual(written(), [0, 2])
    assert.equal(runs(), 3)
    assert.equal(count('savepoint job'), 0)
  })

  it('run again where a later one fails that has written, which does not, and in savepoints for a while', async () => {
    const { addAll, written, runs, count } = start()
    await addAll([
      { rows: 1, ending: 'done' },
      { rows: 1, ending: 'refused' },
      { rows: 1, ending: 'done' },
    ])
    assert.deepEqual(written(), [0, 2])
    assert.equal(runs(), 4)
    await addAll([{ rows: 1, ending: 'refused' }])
    assert.equal(runs(), 5)
    assert.equal(count('commit'), 3)
    assert.deepEqual(written(), [0, 2])
  })

  it('fail where SQLite has ended the transaction, though the job went on; the next ones have their own', async () => {
    const { groupCommit, connection, written } = start()
    const outcomes = await Promise.allSettled([
      groupCommit.add('a', async () => {
        connection.exec('insert into rows values (0, 0)')
        connection.exec('rollback')
      }),
      groupCommit.add('a', async () => connection.exec('insert into rows values (1, 0)')),
    ])
    assert.equal(outcomes[0]!.status, 'rejected')
    assert.deepEqual(written(), outcomes[1]!.status === 'fulfilled' ? [1] : [])
  })

  it('leave the rows of those that succeed, in their order, whatever becomes of the others', async () => {
    const plan = fc.record<JobPlan>({
      rows: fc.integer({ min: 0, max: 2 }),
      ending: fc.constantFrom('done', 'refused', 'failed'),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(plan, { maxLength: 8 }), async (plans) => {
        const { addAll, written } = start()
        const outcomes = await addAll(plans)
        assert.deepEqual(
          outcomes.map((outcome) => (outcome.status === 'fulfilled' ? 'done' : outcome.reason.message)),
          plans.map(({ ending }) => ending),
        )
        const expected = plans.flatMap(({ rows, ending }, job) =>
          ending === 'done' ? Array.from({ length: rows }, () => job) : [],
        )
        assert.deepEqual(written(), expected)
      }),
    )
  })
})
