import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { startService, type TestService } from 'worklore-testing/harness'

for (const engine of engines) {
  describe(`GET /v1/me on ${engine.name}`, () => {
    let wl: TestService
    before(async () => {
      wl = await startService(engine)
    })
    after(() => wl.stop())

    it('tells the tenant, the plan, the key, its scopes and what is left of its limits', async () => {
      const { status, body } = await wl.get('/v1/me')
      assert.equal(status, 200)
      assert.equal(body.data.tenant.name, 'default')
      assert.equal(body.data.plan, 'self-hosted')
      assert.deepEqual(body.data.scopes, ['admin'])
      assert.equal(body.data.projects, null)
      assert.equal(body.data.user, null)
      assert.equal(body.data.limits.length, 5)
    })

    it('names the projects and the user of a limited key', async () => {
      const project = (await wl.post('/v1/projects', { key: 'ACME', name: 'Acme' })).body.data
      const user = (await wl.post('/v1/users', { name: 'Ada' })).body.data
      const made = await wl.post('/v1/keys', {
        name: 'agent',
        scopes: ['tasks:write'],
        projectIds: ['ACME'],
        userId: user.id,
      })
      const { body } = await wl.get('/v1/me', { key: made.body.data.key })
      assert.deepEqual(body.data.projects, [{ id: project.id, key: 'ACME', name: 'Acme' }])
      assert.deepEqual(body.data.user, user)
    })
  })
}
