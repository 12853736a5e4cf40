import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { DatabaseSync } from '@photostructure/sqlite'
import { createScheduler } from '../../scheduling/scheduler.js'
import { createGroupCommit } from './group-commit.js'

const busyFor = (ms: number): void => {
  const endMs = performance.now() + ms
  while (performance.now() < endMs);
}

describe('the group commit of SQLite', () => {
  const start = () => {
    const connection = new DatabaseSync(':memory:')
    const statements: string[] = []
    const run = (text: string): number => {
      statements.push(text)
      connection.exec(text)
      return 0
    }
    const groupCommit = createGroupCommit(connection, { run }, () => {}, createScheduler())
    return { groupCommit, commits: () => statements.filter((text) => text === 'commit').length }
  }

  it('takes the jobs of groups in turn', async (test) => {
    // However busy the machine is, no time passes in their batch.
    test.mock.method(performance, 'now', () => 0)
    const { groupCommit, commits } = start()
    const done: string[] = []
    const add = (name: string) => groupCommit.add(name[0]!, async () => void done.push(name))
    await Promise.all(['a1', 'a2', 'a3', 'b1', 'c1', 'c2'].map(add))
    assert.deepEqual(done, ['a1', 'b1', 'c1', 'a2', 'c2', 'a3'])
    assert.equal(commits(), 1)
  })

  it('commits what was done after a while, and lets the event loop turn', async () => {
    const { groupCommit, commits } = start()
    let turns = 0
    let isOver = false
    const count = async (): Promise<void> => {
      for (; !isOver; turns++) await turn()
    }
    const counting = count()
    await Promise.all(Array.from({ length: 20 }, () => groupCommit.add('a', async () => busyFor(10))))
    isOver = true
    await counting
    assert.ok(commits() >= 7, `${commits()} commits`)
    assert.ok(turns >= commits(), `${turns} turns, ${commits()} commits`)
  })

  it('does the job of another group before those that came earlier', async () => {
    const { groupCommit } = start()
    const done: string[] = []
    const heavy = Array.from({ length: 20 }, (_, at) =>
      groupCommit.add('a', async () => {
        busyFor(10)
        done.push(`a${at}`)
      }),
    )
    await turn()
    await groupCommit.add('b', async () => void done.push('b'))
    await Promise.all(heavy)
    assert.ok(done.indexOf('b') <= 6, `${done}`)
  })

  it('fails only the job that fails', async () => {
    const { groupCommit } = start()
    const outcomes = await Promise.allSettled([
      groupCommit.add('a', async () => 1),
      groupCommit.add('a', async () => {
        throw new Error('no')
      }),
      groupCommit.add('b', async () => 2),
    ])
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
  })
})
