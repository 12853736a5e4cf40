import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import { createProject, createUser } from 'worklore-testing/factories'
import { createTestTenant } from 'worklore-testing/operator'
import { describeClient } from 'worklore-testing/service-suite'
import { userFor } from './wl.js'

describeClient('roles with wl', (service) => {
  it('of the tenant and of projects are listed, set and removed', async (test) => {
    const user = userFor(test, service)
    const { id } = await createUser(service, { name: 'Ada Lovelace', handle: 'ada' })
    await createProject(service, { key: 'ROLE' })
    assert.match(await user.wl('users', 'role', '@ada', 'none'), new RegExp(id))
    assert.match(await user.wl('users'), /\tada\thuman\tnone\t/)
    await user.wl('projects', 'edit', 'ROLE', '--visibility', 'private')
    assert.match(await user.wl('projects'), /^ROLE\t.*\tprivate\t/m)
    await user.wl('members', 'set', 'ROLE', 'ada', 'viewer')
    assert.equal(await user.wl('members', 'ROLE'), `${id}\tviewer\tAda Lovelace\n`)
    await user.wl('members', 'rm', 'ROLE', 'ada')
    assert.equal(await user.wl('members', 'ROLE'), '')
    await user.wl('export', 'all.jsonl')
    const other = await createTestTenant(service)
    await userFor(test, other).wl('import', join(user.folder, 'all.jsonl'))
    assert.equal((await other.get('/v1/projects/ROLE')).body.data.visibility, 'private')
    const wrong = await user.run(['members', 'set', 'ROLE', 'ada', 'admin'])
    assert.match(wrong.stderr, /role must be one of/)
  })
})
