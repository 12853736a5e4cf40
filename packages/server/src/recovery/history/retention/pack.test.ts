import assert from 'node:assert/strict'
import { it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { recordName } from '../../../changelog/versions/version.js'
import { migrate } from '../../../db/migrate.js'
import { openDb } from '../../../db/open.js'
import { createMetrics } from '../../../observability/metrics.js'
import { type Call, ownOrigin } from '../../../operations/call.js'
import { createWorkBudget } from '../../../scheduling/work-budget.js'
import { createProject } from '../../../tenancy/projects/service.js'
import { createTask, updateTask } from '../../../work/tasks/service.js'
import { statesOf } from '../states.js'
import { listBefore } from '../store.js'
import { packVersions } from './pack.js'

const { createPreparedStore } = engines.find(({ name }) => name === 'sqlite')!

it('packed versions are read in a transaction without waiting for the thread pool', async (test) => {
  const store = await createPreparedStore()
  const db = await openDb(store)
  test.after(async () => {
    await db.close()
    await store.remove()
  })
  await migrate(db)
  await db.run("insert into tenants (tenant_id, name, plan, created_at) values ('ten_1', 'one', 'free', 0)")
  await db.run("insert into tenant_names (name, tenant_id) values ('one', 'ten_1')")
  const actor = { keyId: 'operator', keyName: '', userId: null, projectIds: null, keyExpiresAt: null }
  const call: Call = {
    db,
    clock: Date.now,
    actor: { ...actor, tenantId: 'ten_1', scopes: ['admin'] },
    origin: ownOrigin('test'),
  }
  await createProject(call, { key: 'PACK', name: 'Pack' })
  const { id } = await createTask(call, { projectId: 'PACK', title: 'Packed' })
  for (let at = 0; at < 4; at++) await updateTask(call, id, { description: `${at} ${'text '.repeat(2_000)}` }, {})
  await packVersions(db, () => Date.now() + 3_600_000, createMetrics())
  const { packs } = (await db.get<{ packs: number }>(
    'select count(*) as packs from history_packs where tenant_id = ?',
    ['ten_1'],
  ))!
  assert.equal(packs, 1)

  const end = [Number.MAX_SAFE_INTEGER, 0] as const
  const [row] = await listBefore(db, 'ten_1', { record: recordName.task(id) }, end, 0, 1)
  let before: string | null = null
  // A call with a work budget is part of a transaction.
  void statesOf({ ...call, work: createWorkBudget(false) })
    .before(row!)
    .then((text) => {
      before = text
    })
  // The database responds synchronously, so only already resolved promises may be awaited in between.
  for (let at = 0; at < 100; at++) await Promise.resolve()
  assert.match(before ?? '', /"description":"2 text/)
})
