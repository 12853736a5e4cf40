import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { engines, type TestStore } from 'worklore-testing/engines'
import { poolerVariable } from 'worklore-testing/pooler'
import { migrate } from '../../db/migrate.js'
import { openDb } from '../../db/open.js'
import type { Db, Sql, Statement, Value } from '../../db/port.js'
import { type Call, ownOrigin } from '../../operations/call.js'
import { createProject } from '../../tenancy/projects/service.js'
import { categories } from '../../tenancy/projects/statuses.js'
import { listTasks } from './lists/list.js'
import { deleteTasks } from './row-store.js'
import type { TaskList } from './schema.js'
import { createTask } from './service.js'

/** What users filter and sort by, and the index that must carry it from the first task to the last. */
const lists: readonly [TaskList, index: string][] = [
  [{}, 'tasks_by_creation'],
  [{ sort: 'createdAt' }, 'tasks_by_creation'],
  [{ sort: '-updatedAt' }, 'tasks_by_update'],
  [{ sort: '-priority' }, 'tasks_by_priority'],
  [{ sort: 'dueDate' }, 'tasks_by_due'],
  [{ sort: '-dueDate' }, 'tasks_by_due_descending'],
  [{ projectId: ['PLAN'] }, 'tasks_by_project'],
  [{ projectId: ['PLAN'], sort: '-updatedAt' }, 'tasks_by_project_update'],
  [{ projectId: ['PLAN'], sort: '-priority' }, 'tasks_by_project_priority'],
  [{ projectId: ['PLAN'], priority: ['urgent'] }, 'tasks_by_project'],
  [{ priority: ['urgent'] }, 'tasks_by_creation'],
  [{ projectId: ['PLAN'], status: ['todo'] }, 'tasks_by_project_status'],
  [{ status: ['todo'] }, 'tasks_by_status'],
  [{ projectId: ['PLAN'], status: ['in_qa'] }, 'tasks_by_custom_status'],
  [{ assignee: ['usr_1'] }, 'tasks_by_assignee'],
  [{ assignee: ['none'] }, 'tasks_by_assignee'],
  [{ label: ['bug'], assignee: ['usr_1'] }, 'task_labels_by_assignee'],
  [{ createdBy: 'key_1' }, 'tasks_by_creator'],
  [{ stale: true }, 'tasks_stale'],
  [{ sort: 'rank' }, 'tasks_by_rank'],
  [{ projectId: ['PLAN'], sort: 'rank' }, 'tasks_by_rank'],
  [{ projectId: ['PLAN'], sort: '-rank' }, 'tasks_by_rank'],
]

const planOf = {
  sqlite: async (db: Db, text: string, params: readonly Value[]): Promise<string> => {
    const rows = await db.all<{ detail: string }>(`explain query plan ${text}`, params)
    return rows.map(({ detail }) => detail).join('\n')
  },
  // A table this small is read whole unless that is ruled out.
  postgres: (db: Db, text: string, params: readonly Value[]): Promise<string> =>
    db.transaction(async (tx) => {
      for (const way of ['seqscan', 'bitmapscan', 'sort']) await tx.run(`set local enable_${way} = off`)
      const rows = await tx.all<{ 'QUERY PLAN': string }>(`explain (costs off) ${text}`, params)
      return rows.map((row) => row['QUERY PLAN']).join('\n')
    }),
}

for (const engine of engines) {
  describe(`plans of task lists on ${engine.name}`, () => {
    let store: TestStore
    let db: Db
    let call: Call
    let statement: [text: string, params: readonly Value[]]

    before(async () => {
      store = await engine.createPreparedStore()
      db = await openDb(store)
      await migrate(db)
      await db.run("insert into tenants (tenant_id, name, plan, created_at) values ('ten_1', 'one', 'free', 0)")
      const get: Sql['get'] = (text, params = []) => {
        statement = [text, params]
        return db.get(text, params)
      }
      const actor = { keyId: 'key_1', keyName: '', userId: null, projectIds: null, keyExpiresAt: null }
      call = {
        db: { ...db, get },
        clock: Date.now,
        actor: { ...actor, tenantId: 'ten_1', scopes: ['admin'] },
        origin: ownOrigin('test'),
      }
      const builtIn = categories.map((category) => ({ status: category, name: category, category }))
      const statuses = [...builtIn, { status: 'in_qa', name: 'In QA', category: 'in_review' as const }]
      await createProject(call, { key: 'PLAN', name: 'Plan', statuses })
    })
    after(async () => {
      await db.close()
      await store.remove()
    })

    for (const [query, index] of lists) {
      it(`goes along an index such as ${index} for ${JSON.stringify(query)}`, async () => {
        await listTasks(call, query)
        const plan = await planOf[engine.name](db, ...statement)
        // Which of two that both give the order is taken depends on the statistics of PostgreSQL.
        if (engine.name === 'sqlite') assert.match(plan, new RegExp(`\\b${index}\\b`))
        // The few tasks of a slice may be sorted again after they were read.
        const [, slice = plan] = /CTE batch\n(.*?)\n {2}\S/s.exec(plan) ?? []
        assert.doesNotMatch(slice, /TEMP B-TREE|\bSort\b/)
      })
    }

    it('goes along the index of marked tasks for a caller who sees some of the marks', async () => {
      const actor = { ...call.actor, projectIds: { except: ['prj_hidden'] } }
      for (const sort of ['-createdAt', 'priority'] as const) {
        await listTasks({ ...call, actor }, { stale: true, sort })
        assert.match(await planOf[engine.name](db, ...statement), /\btasks_stale\b/)
      }
    })

    if (engine.name === 'postgres') {
      it('has a plan that PostgreSQL keeps', async (test) => {
        const alone = await openDb({ ...store, poolSize: 1 })
        test.after(() => alone.close())
        await createTask(call, { projectId: 'PLAN', title: 'One of many' })
        await alone.transaction(async (tx) => {
          await tx.run('create temporary table copies as select t.*, n from tasks t, generate_series(1, 3000) n')
          await tx.run("update copies set id = 'tsk_' || n, number = number + n")
          await tx.run('alter table copies drop column n')
          await tx.run('insert into tasks select * from copies')
        })
        await alone.run('analyze tasks')
        const isPage = (text: string): boolean => text.includes(' as positions')
        for (let round = 0; round < 10; round++) {
          await listTasks({ ...call, db: alone }, { projectId: ['PLAN'], status: ['todo'] })
        }
        const prepared = await alone.all<{ statement: string; custom_plans: number }>(
          'select statement, custom_plans from pg_prepared_statements',
        )
        const pages = prepared.filter(({ statement }) => isPage(statement))
        assert.equal(pages.length, process.env[poolerVariable] ? 0 : 1)
        // It tries so many before it compares.
        for (const { custom_plans } of pages) assert.equal(custom_plans, 5)
        await alone.run("delete from tasks where tenant_id = 'ten_1'")
      })
    }

    it('seeks to a place in the queue of ready tasks, whatever comes before it', async () => {
      for (let at = 0; at < 3; at++) await createTask(call, { projectId: 'PLAN', title: `Ready ${at}` })
      const seeks: [TaskList, index: string, position: string][] = [
        [{ ready: true }, 'ready_tasks_in_order', 'urgency,due_at,rank,project_id,number'],
        [{ ready: true, projectId: ['PLAN'] }, 'ready_tasks_of_project', 'urgency,due_at,rank'],
      ]
      const expectSeeks = async (isReserved: boolean) => {
        for (const [query, index, position] of seeks) {
          const { pagination } = await listTasks(call, { ...query, limit: 1 })
          await listTasks(call, { ...query, limit: 1, cursor: pagination.nextCursor! })
          const plan = await planOf[engine.name](db, ...statement)
          assert.match(plan, new RegExp(`\\b${index}\\b`))
          if (engine.name === 'sqlite') assert.ok(plan.includes(`(${position})>(`), plan)
          else assert.match(plan, /Index Cond: .*ROW\(.*urgency.*due_at.*rank.*\) >=? ROW/)
          assert.doesNotMatch(plan, /SCAN [rt]\b|Seq Scan/)
          // From the claims that have run out to the tasks that wait for them.
          assert.match(plan, /\bready_tasks_waiting\b/)
          if (isReserved) assert.match(plan, /\btask_resources_reserved\b/)
          else assert.doesNotMatch(plan, /task_resources/)
          if (engine.name === 'sqlite') assert.match(plan, new RegExp(`SEARCH r USING COVERING INDEX ${index}\\b`))
        }
      }
      await expectSeeks(false)
      await createTask(call, { projectId: 'PLAN', title: 'With a resource', resources: ['env:plan'] })
      await db.run('update task_resources set reserved = 1 where tenant_id = ?', [call.actor.tenantId])
      await expectSeeks(true)
    })

    it('finds the labels of deleted tasks by their whole keys', async () => {
      const { id } = await createTask(call, { projectId: 'PLAN', title: 'Labelled', labels: ['a', 'b'] })
      const deletions: Statement[] = []
      const runAll: Sql['runAll'] = (statements) => {
        deletions.push(...statements)
        return db.runAll(statements)
      }
      await deleteTasks({ ...db, runAll }, 'ten_1', [id])
      const { text, params } = deletions.find(({ text }) => text.includes('task_labels'))!
      const plan = await planOf[engine.name](db, text, params)
      if (engine.name === 'sqlite') assert.match(plan, /SEARCH task_labels USING PRIMARY KEY .*number=/)
      assert.doesNotMatch(plan, /task_labels_by_assignee/)
      assert.equal((await db.all("select label from task_labels where tenant_id = 'ten_1'")).length, 0)
    })
  })
}
