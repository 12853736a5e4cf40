import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { engines, type TestStore } from 'worklore-testing/engines'
import { inLongRun } from 'worklore-testing/long-run'
import { randomFrom } from 'worklore-testing/random'
import { migrate } from '../../../db/migrate.js'
import { openDb } from '../../../db/open.js'
import type { Db } from '../../../db/port.js'
import { type Call, ownOrigin } from '../../../operations/call.js'
import { createProject } from '../../../tenancy/projects/service.js'
import { claimNext, claimTask, peekNext, releaseClaim, renewClaim } from '../claims/service.js'
import { listTasks } from '../lists/list.js'
import type { NextFilter } from '../queue/queue.js'
import { createTask, getTask, updateTask } from '../service.js'
import { includes } from './rules.js'
import { findOverlaps } from './store.js'

const anything: NextFilter = { projectIds: null, labels: null, priorities: null, parentId: null }

for (const engine of engines) {
  describe(`statements about resources on ${engine.name}`, () => {
    let store: TestStore
    let db: Db
    let call: Call
    let statements: string[] = []

    before(async () => {
      store = await engine.createPreparedStore()
      db = await openDb(store, { observe: (text) => statements.push(text) })
      await migrate(db)
      await db.run("insert into tenants (tenant_id, name, plan, created_at) values ('ten_1', 'one', 'free', 0)")
      const actor = { keyId: 'operator', keyName: '', userId: null, projectIds: null, keyExpiresAt: null }
      call = {
        db,
        clock: Date.now,
        actor: { ...actor, tenantId: 'ten_1', scopes: ['admin'] },
        origin: ownOrigin('test'),
      }
      for (const key of ['NONE', 'QUEUE', 'RANDOM']) await createProject(call, { key, name: key })
    })
    after(async () => {
      await db.close()
      await store.remove()
    })

    const countOf = async (work: () => Promise<unknown>): Promise<number> => {
      statements = []
      await work()
      return statements.length
    }
    const projectIdOf = async (key: string): Promise<string> =>
      (await db.get<{ id: string }>('select id from projects where tenant_id = ? and key = ?', ['ten_1', key]))!.id

    it('are none where tasks have none', async () => {
      statements = []
      const { id } = await createTask(call, { projectId: 'NONE', title: 'One' })
      const other = await createTask(call, { projectId: 'NONE', title: 'Other' })
      await updateTask(call, id, { title: 'Changed', labels: ['a'] }, {})
      await getTask(call, id)
      await listTasks(call, { projectId: ['NONE'] })
      assert.equal((await claimNext(call, anything, {}))!.id, id)
      await renewClaim(call, id, `${id}.1`, undefined)
      await releaseClaim(call, id, `${id}.1`, { status: 'done' })
      await claimTask(call, other.id, {})
      await claimTask(call, other.id, { takeover: true })
      await updateTask(call, other.id, { status: 'done' }, {})
      // The queue search also reads which tasks hold the resources that a task needs.
      const others = statements.filter((text) => !text.includes('from ready_tasks r'))
      const about = others.filter((text) => /task_resources|set waits_for/.test(text))
      assert.deepEqual(about, [])
    })

    it('look once at each task that waits for a claim, however many there are', async () => {
      const projectId = await projectIdOf('QUEUE')
      const filter = { ...anything, projectIds: [projectId] }
      const create = (resources: string[]) => createTask(call, { projectId, title: 'Queued', resources })
      const holder = await create(['env'])
      const waiting = inLongRun(150, 600)
      for (let at = 0; at < waiting; at++) await create([`other ${at}`, 'env'])
      const free = await create(['free'])
      await claimTask(call, holder.id, {})
      const first = await countOf(async () => assert.equal((await peekNext(call, filter))!.id, free.id))
      const again = await countOf(async () => assert.equal((await peekNext(call, filter))!.id, free.id))
      assert.ok(first < 30, `${first} statements to look at ${waiting} tasks`)
      assert.ok(again < 10, `${again} statements to look again`)
      const ended = await countOf(() => updateTask(call, holder.id, { status: 'done' }, {}))
      assert.ok(ended < 15, `${ended} statements to end the claim`)
      assert.notEqual((await peekNext(call, filter))!.id, free.id)
    })

    it('find what overlaps as the rule says', async () => {
      const projectId = await projectIdOf('RANDOM')
      const random = randomFrom(7)
      const parts = ['a', 'b', 'é', '/', '/', ' ', '.', '-', '0', '😀']
      const text = (): string =>
        Array.from({ length: 1 + Math.floor(random() * 5) }, () => parts[Math.floor(random() * parts.length)]).join('')
      const held: string[] = []
      const overlap = (one: string, other: string): boolean => includes(one, other) || includes(other, one)
      for (let at = 0; at < inLongRun(150, 400); at++) {
        const resource = text()
        const wanted = { taskId: 'RANDOM-0', projectId, resources: [resource] }
        const found = await findOverlaps(db, 'ten_1', wanted)
        assert.equal(
          found.length > 0,
          held.some((each) => overlap(each, resource)),
          JSON.stringify([resource, held]),
        )
        if (found.length > 0 || held.length > 60) continue
        const { id } = await createTask(call, { projectId, title: 'Held', resources: [resource] })
        await claimTask(call, id, {})
        held.push(resource)
      }
      assert.ok(held.length > 20)
    })
  })
}
