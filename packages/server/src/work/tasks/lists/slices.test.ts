import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { engines, type TestStore } from 'worklore-testing/engines'
import { migrate } from '../../../db/migrate.js'
import { openDb } from '../../../db/open.js'
import type { Db } from '../../../db/port.js'
import { type Call, ownOrigin } from '../../../operations/call.js'
import { createProject } from '../../../tenancy/projects/service.js'
import { claimTask } from '../claims/service.js'
import type { Sort, Task, TaskList } from '../schema.js'
import { createTask } from '../service.js'
import { countTasksByCategory, listTasks, type TaskPage } from './list.js'
import { maxReservedRowsPerSlice, maxRowsPerSlice } from './slice-store.js'

const copies = 1_300
const matching = 300
const sorts = ['createdAt', '-createdAt', 'updatedAt', '-priority', 'dueDate', '-dueDate', 'rank', '-rank'] as Sort[]

for (const engine of engines) {
  describe(`slices of selective lists on ${engine.name}`, () => {
    let store: TestStore
    let db: Db
    let call: Call
    let turn = 0
    let turning: NodeJS.Immediate
    let slices: { turn: number; text: string }[] = []

    before(async () => {
      store = await engine.createPreparedStore()
      db = await openDb(store, {
        observe: (text) => {
          if (text.includes('batch as materialized')) slices.push({ turn, text })
        },
      })
      await migrate(db)
      await db.run("insert into tenants (tenant_id, name, plan, created_at) values ('ten_1', 'one', 'free', 0)")
      const actor = { keyId: 'operator', keyName: '', userId: null, projectIds: null, keyExpiresAt: null }
      call = {
        db,
        clock: Date.now,
        actor: { ...actor, tenantId: 'ten_1', scopes: ['admin'] },
        origin: ownOrigin('test'),
      }
      for (const key of ['MANY', 'QUEUE']) await createProject(call, { key, name: key })
      await createTask(call, { projectId: 'MANY', title: 'Copied' })
      await db.transaction(async (tx) => {
        await tx.run(`create temporary table copies as
          with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${copies})
          select t.*, n from tasks t cross join numbers`)
        await tx.run(`update copies set id = 'MANY-' || (n + 1), number = number + n, created_at = created_at + n / 3,
          updated_at = updated_at - n, priority = n % 4, due_at = case when n % 2 = 0 then n end, rank = rank + n,
          doc = replace(doc, '"MANY-1"', '"MANY-' || (n + 1) || '"'),
          status = case when n % 13 < 3 and n <= ${copies} then 'in_review' else 'done' end,
          attempts = case when n % 13 < 3 then 5 else 0 end`)
        await tx.run('alter table copies drop column n')
        await tx.run('insert into tasks select * from copies')
      })
      const next = (): void => {
        turn++
        turning = setImmediate(next)
      }
      next()
    })
    after(async () => {
      clearImmediate(turning)
      await db.close()
      await store.remove()
    })

    const idsOf = ({ tasks }: TaskPage): string[] => (JSON.parse(tasks) as Task[]).map(({ id }) => id)
    /** Filters that no index serves; each has the same matches. */
    const selective: TaskList[] = [{ exhausted: true }, { status: ['in_review', 'in_progress'] }]
    const inProject = { projectId: ['MANY'] }

    it('check a bounded number of tasks by each statement and yield in between', async () => {
      const expected = Math.ceil(copies / maxRowsPerSlice)
      for (const filters of [
        ...selective,
        { exhausted: true, claimed: false },
        { stale: false, checks: 'none' as const },
      ]) {
        for (const sort of sorts) {
          slices = []
          await listTasks(call, { ...inProject, ...filters, sort })
          assert.equal(slices.length, expected, JSON.stringify([filters, sort]))
          for (const { text } of slices) assert.ok(text.includes(`limit ${maxRowsPerSlice})`), text)
          assert.equal(new Set(slices.map(({ turn }) => turn)).size, slices.length)
        }
      }
    })

    it('find the same tasks in one page, by page and by cursor, and count them', async () => {
      for (const filters of selective) {
        for (const sort of ['createdAt', '-priority', 'dueDate', '-rank'] as const) {
          const query = { ...inProject, ...filters, sort, limit: 100 }
          const byPage: string[] = []
          for (let page = 1; page <= matching / 100; page++) {
            const found = await listTasks(call, { ...query, page })
            assert.deepEqual([found.pagination.total, found.pagination.hasMore], [matching, page < matching / 100])
            byPage.push(...idsOf(found))
          }
          assert.equal(new Set(byPage).size, matching)
          const byCursor: string[] = []
          let cursor: string | null = null
          do {
            const found: TaskPage = await listTasks(call, { ...query, limit: 70, ...(cursor !== null && { cursor }) })
            byCursor.push(...idsOf(found))
            cursor = found.pagination.nextCursor
          } while (cursor !== null)
          assert.deepEqual(byCursor, byPage, JSON.stringify([filters, sort]))
        }
        slices = []
        const counts = await countTasksByCategory(call, { ...inProject, ...filters })
        assert.deepEqual([counts.in_review, counts.total], [matching, matching])
        assert.equal(slices.length, Math.ceil(copies / maxRowsPerSlice))
      }
    })

    it('are not needed where an index leads to few tasks', async () => {
      const { id } = await createTask(call, { projectId: 'QUEUE', title: 'Rare', labels: ['rare'] })
      await claimTask(call, id, {})
      for (const filters of [
        { label: ['rare'] },
        { label: ['rare', 'none'] },
        { claimed: true },
        { claimedBy: 'me' },
      ]) {
        for (const sort of sorts.slice(2)) {
          slices = []
          assert.deepEqual(idsOf(await listTasks(call, { ...filters, sort })), [id])
          assert.deepEqual(slices, [], JSON.stringify([filters, sort]))
        }
      }
    })

    it('check fewer tasks at once against what others have reserved', async () => {
      const created: string[] = []
      for (let at = 0; at < 2 * maxReservedRowsPerSlice; at++) {
        const task = { projectId: 'QUEUE', title: 'Queued', resources: [at % 10 === 0 ? `own ${at}` : 'shared'] }
        created.push((await createTask(call, task)).id)
      }
      await claimTask(call, created[1]!, {})
      for (const query of [{ ready: true }, { ready: true, sort: 'createdAt' as const }]) {
        slices = []
        const found = await listTasks(call, { projectId: ['QUEUE'], ...query })
        assert.deepEqual(
          idsOf(found),
          created.filter((_, at) => at % 10 === 0),
        )
        assert.equal(slices.length, 2 + (query.sort ? 1 : 0))
        for (const { text } of slices) assert.ok(text.includes(`limit ${maxReservedRowsPerSlice})`))
        assert.equal(new Set(slices.map(({ turn }) => turn)).size, slices.length)
      }
    })

    it('refuse to count exactly from a cursor on', async () => {
      const { pagination } = await listTasks(call, { ...inProject, limit: 1 })
      const query: TaskList = { ...inProject, limit: 1, total: 'exact', cursor: pagination.nextCursor! }
      assert.throws(() => listTasks(call, query), { code: 'VALIDATION_ERROR' })
    })
  })
}
