import assert from 'node:assert/strict'
import { it } from 'node:test'
import { ForbiddenError, NotFoundError } from '../src/index.js'
import { onEveryEngine } from './on-every-engine.js'

onEveryEngine('roles in projects', (stage) => {
  it('are set, listed and removed', async () => {
    const { wl, clientWith } = stage
    const project = await wl.projects.create({ key: 'MEMB', name: 'Members', visibility: 'private' })
    const user = await wl.users.create({ name: 'Ada' })
    const { key } = await wl.keys.create({ name: 'ada', scopes: ['tasks:write'], userId: user.id })
    const ada = clientWith({ apiKey: key! })
    await assert.rejects(ada.projects.get('MEMB'), NotFoundError)
    assert.equal((await wl.projects.setMember('MEMB', user.id, 'viewer')).role, 'viewer')
    const members = []
    for await (const member of wl.projects.members(project.id)) members.push(member)
    assert.deepEqual(members, [{ userId: user.id, name: 'Ada', role: 'viewer' }])
    assert.equal((await ada.projects.get('MEMB')).visibility, 'private')
    await assert.rejects(
      ada.tasks.create({ projectId: 'MEMB', title: 'x' }),
      (error) => error instanceof ForbiddenError && error.reason === 'role',
    )
    assert.deepEqual(await wl.projects.removeMember('MEMB', user.id), { userId: user.id, deleted: true })
    await assert.rejects(ada.projects.get('MEMB'), NotFoundError)
  })
})
