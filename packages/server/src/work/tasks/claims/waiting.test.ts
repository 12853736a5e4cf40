import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { engines, type TestStore } from 'worklore-testing/engines'
import { migrate } from '../../../db/migrate.js'
import { openDb } from '../../../db/open.js'
import type { Db } from '../../../db/port.js'
import { keysTopic, readyTopic } from '../../../db/topics.js'
import { createReadyWaits, type ReadyWaits } from './waiting.js'

const tenant = 'ten_1'
/** Longer than anything else that could wake a caller; those that still wait at the end are let go by the service. */
const waitMs = 600_000

for (const engine of engines) {
  describe(`waiting for a ready task on ${engine.name}`, () => {
    let store: TestStore
    let db: Db
    let other: Db
    let waits: ReadyWaits
    let statements = 0
    let due: number | null = null
    before(async () => {
      store = await engine.createPreparedStore()
      db = await openDb(store, { observe: () => statements++ })
      await migrate(db)
      other = engine.name === 'postgres' ? await openDb(store) : db
      // Without the poll that finds what a dead node did not tell.
      waits = createReadyWaits(db, async () => due, Date.now, 3_600_000)
    })
    after(async () => {
      waits.close()
      if (other !== db) await other.close()
      await db.close()
      await store.remove()
    })

    /** Callers of one kind; `woken` counts those that were told to look. */
    const startWaiting = (count: number, kind = 'same') => {
      const state = { woken: 0, over: 0 }
      const all = Array.from({ length: count }, () => {
        const wait = waits.open(tenant, kind)
        const ended = wait.next(waitMs).then((isToLook) => {
          if (isToLook) state.woken++
          else state.over++
          return isToLook
        })
        return { wait, ended }
      })
      return { state, all }
    }

    const announce = (on: Db, topic = readyTopic(tenant)) =>
      on.transaction(async (tx) => {
        await tx.run('update tenants set plan = plan where tenant_id = ?', [tenant])
        tx.announce(topic)
      })

    it('wakes one of many callers for each task, in their order, and runs no statement for those that wait', async () => {
      const { state, all } = startWaiting(200)
      await sleep(150)
      const statementsBefore = statements
      await sleep(300)
      assert.ok(statements - statementsBefore <= 2, `${statements - statementsBefore} statements in 300 ms`)
      await announce(other)
      assert.equal(await all[0]!.ended, true)
      await sleep(50)
      assert.equal(state.woken, 1)
      // It found its task, and there is another one.
      all[0]!.wait.end(true)
      assert.equal(await all[1]!.ended, true)
      assert.equal(state.woken, 2)
      all[1]!.wait.end(false)
    })

    it('wakes one of each kind', async () => {
      const one = startWaiting(3, 'one')
      const two = startWaiting(3, 'two')
      await announce(db)
      assert.deepEqual(await Promise.all([one.all[0]!.ended, two.all[0]!.ended]), [true, true])
      assert.deepEqual([one.state.woken, two.state.woken], [1, 1])
      for (const { all } of [one, two]) all[0]!.wait.end(false)
    })

    it('wakes all where keys or roles change: each may now be handed others', async () => {
      const { all } = startWaiting(3, 'roles')
      await announce(other, keysTopic(tenant))
      assert.deepEqual(await Promise.all(all.map(({ ended }) => ended)), [true, true, true])
      for (const { wait } of all) wait.end(false)
    })

    it('misses nothing that happens between the first look and the wait', async () => {
      const wait = waits.open(tenant, 'late')
      await announce(db)
      await sleep(100)
      assert.equal(await wait.next(waitMs), true)
      wait.end(false)
    })

    it('wakes when a claim ends or a task may be begun', async () => {
      due = Date.now() + 400
      const { all } = startWaiting(1, 'due')
      assert.equal(await all[0]!.ended, true)
      assert.ok(Date.now() >= due - 5, `${due - Date.now()} ms early`)
      all[0]!.wait.end(false)
      due = null
    })

    it('wakes again when the next one is due, whatever came of the first', async () => {
      const [firstMs, secondMs] = [Date.now() + 300, Date.now() + 700]
      due = firstMs
      const wait = waits.open(tenant, 'two due')
      assert.equal(await wait.next(waitMs), true)
      due = secondMs
      assert.equal(await wait.next(waitMs), true)
      assert.ok(Date.now() >= secondMs - 5, `${secondMs - Date.now()} ms early`)
      wait.end(false)
      due = null
    })

    it('ends a wait at once where it is stopped, and the others stay in line', async () => {
      const { state, all } = startWaiting(3, 'stopped')
      all[0]!.wait.stop()
      assert.equal(await all[0]!.ended, false)
      all[0]!.wait.end(false)
      await announce(db)
      assert.equal(await all[1]!.ended, true)
      assert.deepEqual(state, { woken: 1, over: 1 })
      all[1]!.wait.end(false)
    })

    it('ends all waits when the service stops', async () => {
      const own = createReadyWaits(db, async () => null, Date.now)
      const wait = own.open(tenant, 'any')
      const ended = wait.next(waitMs)
      own.close()
      assert.equal(await ended, false)
      assert.equal(await own.open(tenant, 'any').next(waitMs), false)
    })
  })
}
