import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { engines, type TestStore } from 'worklore-testing/engines'
import { systemClock } from '../../base/clock.js'
import { migrate } from '../../db/migrate.js'
import { openDb } from '../../db/open.js'
import type { Db, Sql } from '../../db/port.js'
import { type Call, operatorCall } from '../../operations/call.js'
import { createProject } from '../../tenancy/projects/service.js'
import { createTenant } from '../../tenancy/tenants/service.js'
import { createUser } from '../../tenancy/users/service.js'
import { addComment, updateComment } from '../../work/tasks/comments/service.js'
import { createTask, updateTask } from '../../work/tasks/service.js'
import { listInbox } from './service.js'

for (const engine of engines) {
  describe(`statements of the inbox on ${engine.name}`, () => {
    let store: TestStore
    let db: Db
    let call: Call
    let texts: string[] = []
    const userIds: string[] = []
    before(async () => {
      store = await engine.createPreparedStore()
      db = await openDb(store, { observe: (text) => texts.push(text) })
      await migrate(db)
      const { tenant } = await createTenant(db, systemClock, { name: 'first', plan: 'free' })
      call = operatorCall(db, systemClock, tenant.id)
      await createProject(call, { key: 'ACME', name: 'Acme' })
      for (let at = 0; at < 20; at++) userIds.push((await createUser(call, { name: `User ${at}` })).id)
    })
    after(async () => {
      await db.close()
      await store.remove()
    })

    const during = async (work: () => Promise<unknown>): Promise<string[]> => {
      texts = []
      await work()
      return texts
    }
    const ofInbox = (statements: readonly string[]): string[] =>
      statements.filter((text) => /inbox_entries|\bhandle\b/.test(text))

    it('are none where nobody is concerned', async () => {
      const { id } = await createTask(call, { projectId: 'ACME', title: 'x', description: 'No one' })
      const statements = await during(async () => {
        await createTask(call, { projectId: 'ACME', title: 'x', description: 'Code `@user-1`, ada@example.com' })
        await updateTask(call, id, { description: 'Nobody', status: 'in_progress' }, {})
        const comment = await addComment(call, id, 'Text')
        await updateComment(call, id, comment.id, 'Other text', {})
      })
      assert.deepEqual(ofInbox(statements), [])
    })

    it('are two for a text that mentions 20 users, and none where an edit mentions no other', async () => {
      const { id } = await createTask(call, { projectId: 'ACME', title: 'x' })
      const body = userIds.map((_, at) => `@user-${at}`).join(' ')
      const written = ofInbox(await during(() => addComment(call, id, body)))
      assert.deepEqual(
        written.map((text) => text.trim().split(' ', 3).join(' ')),
        ['select id, handle', 'insert into inbox_entries'],
      )
      const { id: commentId } = await addComment(call, id, body)
      assert.deepEqual(ofInbox(await during(() => updateComment(call, id, commentId, `${body}!`, {}))), [])
    })

    it('are one for a page', async () => {
      const actor = { ...call.actor, userId: userIds[0]! }
      const statements = await during(async () => {
        const { items } = await listInbox({ ...call, actor }, {})
        assert.equal(items.length, 2)
      })
      assert.equal(statements.length, 1)
    })

    it('go along an index for a page, read or unread', async () => {
      if (engine.name !== 'sqlite') return
      const planOf = async (state: 'unread' | 'all'): Promise<string> => {
        let plan: { detail: string }[] = []
        const all: Sql['all'] = async (text, params) => {
          plan = await db.all(`explain query plan ${text}`, params)
          return []
        }
        await listInbox({ ...call, db: { ...db, all }, actor: { ...call.actor, userId: userIds[0]! } }, { state })
        return plan.map(({ detail }) => detail).join('\n')
      }
      for (const state of ['unread', 'all'] as const) {
        assert.match(await planOf(state), /SEARCH e USING INDEX sqlite_autoindex_inbox_entries_1 \(.*number>\?\)/)
        assert.doesNotMatch(await planOf(state), /TEMP B-TREE|SCAN/)
      }
    })
  })
}
