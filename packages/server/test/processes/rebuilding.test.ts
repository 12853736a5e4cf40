import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { environmentOf, runProgram } from 'worklore-testing/program'
import { systemClock } from '../../src/base/clock.js'
import { migrate } from '../../src/db/migrate.js'
import { openDb } from '../../src/db/open.js'
import { operatorCall } from '../../src/operations/call.js'
import { createProject } from '../../src/tenancy/projects/service.js'
import { createTenant } from '../../src/tenancy/tenants/service.js'
import { putItem } from '../../src/work/knowledge/service.js'
import { addComment } from '../../src/work/tasks/comments/service.js'
import { createTask } from '../../src/work/tasks/service.js'

for (const engine of engines) {
  describe(`worklore rebuild on ${engine.name}`, () => {
    it('corrects counts, the queue and links, which doctor reports', async (test) => {
      const store = await engine.createPreparedStore()
      test.after(() => store.remove())
      const db = await openDb(store)
      await migrate(db)
      const { tenant } = await createTenant(db, systemClock, { name: 'first', plan: 'free' })
      const call = operatorCall(db, systemClock, tenant.id)
      await createProject(call, { key: 'ACME', name: 'Acme' })
      const top = await createTask(call, { projectId: 'ACME', title: 'Top' })
      const blocker = await createTask(call, { projectId: 'ACME', title: 'Blocker' })
      const child = await createTask(call, { projectId: 'ACME', title: 'Child', parentId: top.id })
      const waiting = await createTask(call, { projectId: 'ACME', title: 'Waiting', blockedBy: [blocker.id] })
      await addComment(call, waiting.id, 'A comment')
      await putItem(call, 'notes', { content: `See [[other]] and ${top.id}` }, {})
      const derived = async () => ({
        counts: await db.all(
          `select id, open_blockers, blocked_ancestors, total_children, open_children, comment_count from tasks
           where tenant_id = ? order by id`,
          [tenant.id],
        ),
        ready: await db.all('select task_id from ready_tasks where tenant_id = ? order by task_id', [tenant.id]),
        links: await db.all('select item_id, kind, target from knowledge_links where tenant_id = ? order by place', [
          tenant.id,
        ]),
      })
      const right = JSON.stringify(await derived())
      const doctor = () => runProgram(['doctor'], environmentOf(store))
      assert.equal((await doctor()).code, 0)

      await db.run('update tasks set open_blockers = 0, comment_count = 7 where tenant_id = ? and id = ?', [
        tenant.id,
        waiting.id,
      ])
      await db.run('update tasks set total_children = 0, open_children = 3 where tenant_id = ? and id = ?', [
        tenant.id,
        top.id,
      ])
      await db.run('update tasks set blocked_ancestors = 2 where tenant_id = ? and id = ?', [tenant.id, child.id])
      await db.run('delete from ready_tasks where tenant_id = ?', [tenant.id])
      await db.run('delete from knowledge_links where tenant_id = ?', [tenant.id])
      const found = await doctor()
      assert.equal(found.code, 1)
      assert.match(found.stdout, /links: wrong for 1 notes[\s\S]*counts: wrong for 2 tasks/)

      const { code, stdout, stderr } = await runProgram(['rebuild'], environmentOf(store))
      assert.equal(code, 0, stderr)
      assert.match(stdout, /first: search index discarded, links of 1 notes corrected, counts of 2 tasks corrected/)
      assert.equal(JSON.stringify(await derived()), right)
      assert.equal((await doctor()).code, 0)
      assert.match((await runProgram(['rebuild', 'nothing'], environmentOf(store))).stderr, /Usage: worklore rebuild/)
      await db.close()
    })
  })
}
