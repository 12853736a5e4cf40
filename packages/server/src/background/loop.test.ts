import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { engines } from 'worklore-testing/engines'
import { until } from 'worklore-testing/until'
import { systemClock } from '../base/clock.js'
import { migrate } from '../db/migrate.js'
import { openDb } from '../db/open.js'
import type { Db } from '../db/port.js'
import type { Lease } from './leases.js'
import { type DueWorker, startDueWork } from './loop.js'
import { noteDue } from './note.js'

const minuteMs = 60_000

for (const engine of engines) {
  describe(`due work on ${engine.name}`, () => {
    const open = async (test: TestContext): Promise<Db> => {
      const store = await engine.createPreparedStore()
      const db = await openDb(store)
      test.after(async () => {
        await db.close()
        await store.remove()
      })
      await migrate(db)
      return db
    }

    /** Work of tenants, each at its times. */
    const start = (test: TestContext, db: Db, run: (tenantId: string) => Promise<void>, clock = systemClock) => {
      const left = new Map<string, number[]>()
      const worker: DueWorker = {
        kind: 'tasks',
        name: 'testing',
        run: async (tenantId) => {
          await run(tenantId)
          left.set(
            tenantId,
            left.get(tenantId)!.filter((atMs) => atMs > clock()),
          )
        },
        nextDueMs: async (_db, tenantId) => left.get(tenantId)?.toSorted((a, b) => a - b)[0] ?? null,
      }
      const loop = startDueWork({
        db,
        clock,
        workers: [worker],
        listTenantIds: async () => [...left.keys()],
        onError: () => {},
        onSuccess: () => {},
      })
      test.after(() => loop.stop())
      const note = (tenantId: string, dueAtMs: number) => {
        left.set(tenantId, [...(left.get(tenantId) ?? []), dueAtMs])
        return db.transaction(async (tx) => {
          await tx.runAll(noteDue(tx, { tenantId, kind: 'tasks', dueAtMs }, clock()))
        })
      }
      return { loop, note }
    }

    const rows = async (db: Db) => [
      ...(await db.all<{ tenant_id: string; failures: number }>(
        'select tenant_id, failures from due_work order by tenant_id',
      )),
    ]

    it('goes on for the others where that of one tenant fails, which is tried again', async (test) => {
      const db = await open(test)
      const done: string[] = []
      let isBroken = true
      const { loop, note } = start(test, db, async (tenantId) => {
        if (tenantId === 'ten_1' && isBroken) throw new Error('its server is gone')
        done.push(tenantId)
      })
      for (let at = 1; at <= 9; at++) await note(`ten_${at}`, systemClock())
      await until(
        async () => done.length,
        (count) => count === 8,
      )
      await loop.runDue()
      const [failing, ...others] = await until(
        () => rows(db),
        (left) => left.length === 1 && left[0]!.failures > 0,
      )
      assert.deepEqual([failing!.tenant_id, others], ['ten_1', []])
      assert.ok(failing!.failures >= 1)
      const [figure] = await loop.figures()
      assert.equal(figure!.tenants, 1)
      isBroken = false
      await until(
        async () => (await rows(db)).length,
        (count) => count === 0,
      )
      assert.equal(done.at(-1), 'ten_1')
    })

    it('needs no statement where an earlier time is known, and is done at each time', async (test) => {
      const db = await open(test)
      let nowMs = systemClock()
      let runs = 0
      const { loop, note } = start(
        test,
        db,
        async () => void runs++,
        () => nowMs,
      )
      const time = (inMs: number) => ({ tenantId: 'ten_1', kind: 'tasks' as const, dueAtMs: nowMs + inMs })
      await note('ten_1', nowMs + 10 * minuteMs)
      await loop.runDue()
      assert.equal(noteDue(db, time(20 * minuteMs), nowMs).length, 0)
      assert.equal(noteDue(db, time(5 * minuteMs), nowMs).length, 1, 'an earlier one is noted')
      // Due too soon to be relied on.
      assert.equal(noteDue(db, time(20 * minuteMs), nowMs + 9.6 * minuteMs).length, 1)
      await note('ten_1', nowMs + 20 * minuteMs)
      await note('ten_1', nowMs + 5 * minuteMs)
      for (const [stepMs, expected] of [
        [4 * minuteMs, 0],
        [minuteMs, 1],
        [5 * minuteMs, 2],
        [10 * minuteMs, 3],
      ] as const) {
        nowMs += stepMs
        const before = runs
        await loop.runDue()
        assert.ok(expected === 0 ? runs === 0 : runs > before, `${runs} runs`)
      }
      assert.deepEqual(await rows(db), [])
    })

    it('is not lost where it comes while that of its tenant is done', async (test) => {
      const db = await open(test)
      let runs = 0
      const { loop, note } = start(test, db, async (tenantId) => {
        if (++runs === 1) await note(tenantId, systemClock() + 1)
      })
      await note('ten_1', systemClock())
      await until(
        async () => runs,
        (count) => count >= 2,
      )
      await loop.runDue()
      const left = await until(
        () => rows(db),
        ({ length }) => length === 0,
      )
      assert.deepEqual(left, [])
    })

    it('is done by one node for as long as it runs, and by another once the lease was lost', async (test) => {
      const db = await open(test)
      const leases: Lease[] = []
      let release = (): void => {}
      const released = new Promise<void>((resolve) => {
        release = resolve
      })
      const leaseMs = 6_000
      const startNode = (store: Db) => {
        const worker: DueWorker = {
          kind: 'tasks',
          name: 'testing',
          run: async (_tenantId, lease) => {
            leases.push(lease)
            await released
          },
          nextDueMs: async () => null,
        }
        const loop = startDueWork({
          db: store,
          clock: systemClock,
          workers: [worker],
          listTenantIds: async () => [],
          onError: () => {},
          onSuccess: () => {},
          leaseMs,
        })
        test.after(() => loop.stop())
        return loop
      }
      let isAway = false
      const away: Db = {
        ...db,
        runReturning: async (text, params) => {
          if (isAway && text.includes('set leased_until')) throw new Error('the store is away')
          return db.runReturning(text, params)
        },
      }
      const first = startNode(away)
      await db.transaction(async (tx) => {
        await tx.runAll(noteDue(tx, { tenantId: 'ten_1', kind: 'tasks', dueAtMs: systemClock() }, systemClock()))
      })
      await until(
        async () => leases.length,
        (count) => count === 1,
      )
      // On SQLite only one process runs the loop.
      const second = db.dialect.isShared ? startNode(db) : undefined
      await pause(1.3 * leaseMs)
      second?.wake({ tenantId: 'ten_1', kind: 'tasks' })
      first.wake({ tenantId: 'ten_1', kind: 'tasks' })
      await pause(100)
      assert.equal(leases.length, 1)
      assert.ok(leases[0]!.remainingMs() > 0)
      if (second) {
        isAway = true
        await until(
          async () => leases.length,
          (count) => count === 2,
        )
        assert.equal(leases[0]!.remainingMs(), 0)
        assert.ok(leases[1]!.remainingMs() > 0)
      }
      release()
    })
  })
}
