import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { engines, type TestStore } from 'worklore-testing/engines'
import { migrate } from '../../../db/migrate.js'
import { openDb } from '../../../db/open.js'
import type { Db } from '../../../db/port.js'
import type { Call } from '../../../operations/call.js'
import { listEvents } from '../../../subscribers/events/log-store.js'
import { createProject } from '../../../tenancy/projects/service.js'
import { addComment } from '../comments/service.js'
import type { Task } from '../schema.js'
import { createTask, getTask, type TaskAnswer, updateTask } from '../service.js'
import { claimTask, fenceOf, peekNext } from './service.js'

const anything = { projectIds: null, labels: null, priorities: null, parentId: null }
const leaseMs = 60_000

for (const engine of engines) {
  describe(`claims in their transactions on ${engine.name}`, () => {
    let store: TestStore
    let db: Db
    let call: Call
    let nowMs = Date.parse('2030-01-01')
    let statements: { text: string; access: string }[] = []

    before(async () => {
      store = await engine.createPreparedStore()
      db = await openDb(store, { observe: (text, _ms, _group, access) => statements.push({ text, access }) })
      await migrate(db)
      await db.run("insert into tenants (tenant_id, name, plan, created_at) values ('ten_1', 'one', 'free', 0)")
      call = {
        db,
        clock: () => nowMs,
        actor: {
          ...{ tenantId: 'ten_1', keyId: 'operator', keyName: 'One', userId: null },
          ...{ projectIds: null, keyExpiresAt: null, scopes: ['admin'] },
        },
        origin: { requestId: null, via: 'http', address: '192.0.2.1', operation: 'test' },
      }
      for (const key of ['ACME', 'EXP']) await createProject(call, { key, name: key })
    })
    after(async () => {
      await db.close()
      await store.remove()
    })

    const create = async (projectId: string): Promise<string> =>
      (await createTask(call, { projectId, title: 'One' })).id
    const claim = async (id: string): Promise<string> => {
      const { json } = await claimTask(call, id, { leaseSeconds: leaseMs / 1_000 })
      return (JSON.parse(json) as Task).claim!.token
    }
    const expiresAtMs = ({ json }: Pick<TaskAnswer, 'json'>): number =>
      Date.parse((JSON.parse(json) as Task).claim!.expiresAt)

    for (const [name, renewsExpired] of Object.entries({ 'the fence': false, 'the fence that renews': true })) {
      it(`${name} leaves nothing to undo when the write is refused`, async () => {
        const id = await create('ACME')
        const under = { ...call, fence: fenceOf(await claim(id), renewsExpired) }
        statements = []
        await assert.rejects(updateTask(under, id, { title: 'New' }, { ifMatch: [99] }), {
          code: 'PRECONDITION_FAILED',
        })
        assert.deepEqual(
          statements.filter(
            ({ text, access }) =>
              access === 'write' && /^(insert|update(?! tenants set commit_count)|delete)\b/.test(text),
          ),
          [],
        )
        assert.deepEqual(
          statements.filter(({ text }) => /savepoint/.test(text)),
          [],
        )
        await addComment(call, id, 'Go on')
      })

      it(`${name} renews the claim together with the write`, async () => {
        const id = await create('ACME')
        const under = { ...call, fence: fenceOf(await claim(id), renewsExpired) }
        nowMs += 1_000
        const changed = await updateTask(under, id, { title: 'New' }, {})
        assert.equal(expiresAtMs(changed), nowMs + leaseMs)
        assert.deepEqual(await getTask(call, id), changed)
        nowMs += 1_000
        const unchanged = await updateTask(under, id, { title: 'New' }, {})
        assert.equal(unchanged.version, changed.version)
        assert.deepEqual(await getTask(call, id), unchanged)
        nowMs += 1_000
        await addComment(under, await create('ACME'), 'Elsewhere')
        assert.equal(expiresAtMs(await getTask(call, id)), nowMs + leaseMs)
        const closed = await updateTask(under, id, { status: 'done' }, {})
        assert.equal((JSON.parse(closed.json) as Task).claim, null)
        assert.deepEqual(await getTask(call, id), closed)
      })
    }

    it('record a lapsed claim as the action of the service, whoever notices it', async () => {
      const request = { ...call, origin: { ...call.origin, requestId: 'req_1' } }
      const noticing: [string, (id: string) => Promise<unknown>][] = [
        ['next', () => peekNext(request, anything)],
        ['change', (id) => updateTask(request, id, { title: 'Changed' }, {})],
      ]
      for (const [name, notice] of noticing) {
        const id = await create('EXP')
        await claim(id)
        nowMs += leaseMs + 1
        await notice(id)
        const events = await listEvents(db, 'ten_1', [0, 10_000], { types: null, projectIds: null }, 1_000)
        const [expired] = events
          .filter(({ type }) => type === 'task.claim_expired')
          .map(({ json }) => JSON.parse(json))
          .filter(({ data }) => data.id === id)
        assert.deepEqual([expired.actor.keyId, expired.requestId, expired.via], ['service', null, 'service'], name)
      }
    })
  })
}
