import assert from 'node:assert/strict'
import { it } from 'node:test'
import { until } from 'worklore-testing/until'
import { NotFoundError, UnauthorizedError } from '../src/index.js'
import { onEveryEngine } from './on-every-engine.js'

onEveryEngine('the resources', (stage) => {
  it('creates, reads, changes and deletes a task', async () => {
    const { wl } = stage
    const project = await wl.projects.create({ key: 'ACME', name: 'Acme' })
    const ada = await wl.users.create({ name: 'Ada' })
    const task = await wl.tasks.create({ projectId: 'ACME', title: 'Fix it', assigneeId: ada.id, labels: ['bug'] })
    assert.equal(task.id, 'ACME-1')
    assert.equal(task.projectId, project.id)
    assert.deepEqual(task.assignee, { id: ada.id, name: 'Ada' })
    assert.deepEqual(await wl.tasks.get('ACME-1'), task)
    const done = await wl.tasks.update('ACME-1', { status: 'done', assigneeId: null })
    assert.equal(done.status, 'done')
    assert.equal(done.assignee, null)
    assert.deepEqual(await wl.tasks.delete('ACME-1'), { id: 'ACME-1', deleted: true })
    await assert.rejects(wl.tasks.get('ACME-1'), NotFoundError)
    await assert.rejects(wl.tasks.delete('ACME-1'), NotFoundError)
  })

  it('changes and deletes projects and users', async () => {
    const { wl } = stage
    const made = await wl.projects.create({ key: 'TEMP', name: 'Temporary' })
    await wl.tasks.create({ projectId: made.id, title: 'In the way' })
    const renamed = await wl.projects.update('TEMP', (project) => ({ name: `${project.name}!` }))
    assert.equal(renamed.name, 'Temporary!')
    assert.equal((await wl.projects.update('TEMP', { description: 'soon gone' }, { ifMatch: renamed })).version, 3)
    assert.deepEqual(await wl.projects.delete('TEMP', { force: true }), { id: made.id, deleted: true })
    const user = await wl.users.create({ name: 'Bob', kind: 'agent' })
    assert.equal((await wl.users.update(user.id, { name: 'Bobby' })).name, 'Bobby')
    assert.equal((await wl.users.get(user.id)).kind, 'agent')
    assert.deepEqual(await wl.users.delete(user.id), { id: user.id, deleted: true })
    assert.deepEqual(await wl.users.delete(user.id, { erase: true }), { id: user.id, deleted: true })
  })

  it('makes keys that work, rotates and revokes them', async () => {
    const { wl, clientWith } = stage
    const made = await wl.keys.create({ name: 'agent', scopes: ['tasks:read'] })
    const agent = clientWith({ apiKey: made.key! })
    const me = await agent.me()
    assert.deepEqual(me.scopes, ['tasks:read'])
    assert.equal(me.key.id, made.id)
    const rotated = await wl.keys.rotate(made.id, { overlapSeconds: 60 })
    assert.notEqual(rotated.key, made.key)
    assert.equal((await clientWith({ apiKey: rotated.key! }).me()).key.id, made.id)
    assert.equal((await wl.keys.update(made.id, { name: 'reader' })).name, 'reader')
    assert.equal((await wl.keys.get(made.id)).name, 'reader')
    assert.deepEqual(await wl.keys.delete(made.id), { id: made.id, deleted: true })
  })

  it('ends a leaked key by its secret, and finds it in the audit log', async () => {
    const { wl, clientWith } = stage
    const made = await wl.keys.create({ name: 'leaked', scopes: ['tasks:read'], allowedAddresses: ['127.0.0.0/8'] })
    await clientWith({ apiKey: made.key! }).keys.revokeSecret(made.key!)
    await assert.rejects(clientWith({ apiKey: made.key! }).me(), UnauthorizedError)
    const { data } = await wl.audit.list({ action: 'key.*', limit: 2 })
    assert.deepEqual(
      data.map(({ action, subject }) => [action, subject]),
      [
        ['key.revoked', made.id],
        ['key.created', made.id],
      ],
    )
  })

  it('tells the limits that the last answer showed', async () => {
    const wl = stage.clientWith({})
    assert.equal(wl.limits, undefined)
    const askTwice = async () => {
      const askedAtMs = Date.now()
      await wl.me()
      const first = wl.limits!
      assert.ok(first.limit > 0 && first.reset > askedAtMs / 1000 - 1)
      await wl.me()
      return [first, wl.limits!] as const
    }
    // Not where a window ends in between.
    const [first, second] = await until(askTwice, ([one, other]) => one.reset === other.reset)
    assert.equal(second.remaining, first.remaining - 1)
  })

  it('works under a base address with slashes at its end', async () => {
    const wl = stage.clientWith({ baseUrl: `${stage.proxy.url}//` })
    assert.equal((await wl.me()).tenant.name, 'default')
  })
})
