import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { startService, type TestService } from 'worklore-testing/harness'
import { operatorCallOf } from 'worklore-testing/operator'
import { createWebhook } from '../../src/subscribers/webhooks/service.js'

for (const engine of engines) {
  describe(`/v1/webhooks on ${engine.name}`, () => {
    let wl: TestService
    before(async () => {
      wl = await startService(engine, { config: { webhookAllow: ['127.0.0.0/8'] } })
      await wl.post('/v1/projects', { key: 'ACME', name: 'Acme' })
    })
    after(() => wl.stop())

    const url = 'http://127.0.0.1:9/hook'

    it('creates, shows the secret once, lists, changes and deletes', async () => {
      const created = await wl.post(
        '/v1/webhooks',
        { url, events: ['task.*'], projectId: 'ACME', description: 'chat' },
        { headers: { 'idempotency-key': 'one' } },
      )
      assert.equal(created.status, 201)
      const { secret, ...webhook } = created.body.data
      assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
      assert.equal(created.headers.location, `/v1/webhooks/${webhook.id}`)
      assert.match(webhook.projectId, /^prj_/)
      assert.equal(webhook.active, true)

      const replayed = await wl.post(
        '/v1/webhooks',
        { url, events: ['task.*'], projectId: 'ACME', description: 'chat' },
        { headers: { 'idempotency-key': 'one' } },
      )
      assert.equal(replayed.body.data.secret, null)
      assert.deepEqual((await wl.get(`/v1/webhooks/${webhook.id}`)).body.data, webhook)
      assert.deepEqual((await wl.get('/v1/webhooks')).body.data, [webhook])

      const changed = await wl.patch(`/v1/webhooks/${webhook.id}`, { active: false, events: ['*'], projectId: null })
      assert.equal(changed.body.data.active, false)
      assert.equal(changed.body.data.projectId, null)
      const same = await wl.patch(`/v1/webhooks/${webhook.id}`, { active: false })
      assert.equal(same.body.data.updatedAt, changed.body.data.updatedAt)

      assert.deepEqual((await wl.delete(`/v1/webhooks/${webhook.id}`)).body.data, { id: webhook.id, deleted: true })
      assert.equal((await wl.delete(`/v1/webhooks/${webhook.id}`)).status, 404)
      const { data } = (await wl.get('/v1/events?types=webhook.*')).body
      assert.deepEqual(
        data.map(({ type }: { type: string }) => type),
        ['webhook.created', 'webhook.updated', 'webhook.deleted'],
      )
      assert.deepEqual(data[1].previous, { active: true, events: ['task.*'], projectId: webhook.projectId })
      assert.ok(!JSON.stringify(data).includes('whsec_'))
    })

    it('refuses what it could not send', async () => {
      for (const [body, path] of [
        [{ url: 'https://10.0.0.1/', events: ['*'] }, 'url'],
        [{ url: 'http://example.com/', events: ['*'] }, 'url'],
        [{ url, events: ['task.vanished'] }, 'events'],
        [{ url, events: [] }, 'events'],
        [{ url, events: ['*'], projectId: 'NOPE' }, 'projectId'],
        [{ url, events: ['*'], projectId: '' }, 'projectId'],
        [{ url, events: ['*'], secret: 'mine' }, 'secret'],
      ] as [object, string][]) {
        const { status, body: answer } = await wl.post('/v1/webhooks', body)
        assert.equal(status, 400)
        assert.equal(answer.error.details[0].path, path)
      }
      const { body } = await wl.post('/v1/webhooks', { url, events: ['*'] })
      const patched = await wl.patch(`/v1/webhooks/${body.data.id}`, { url: 'https://[::1]/' })
      assert.equal(patched.status, 400)
      const early = await wl.post(`/v1/webhooks/${body.data.id}/replay`, { fromSequence: 9_999 })
      assert.equal(early.status, 400)
      await wl.delete(`/v1/webhooks/${body.data.id}`)
    })

    it('refuses a forbidden url in the service, whichever way a call comes in', async () => {
      const call = operatorCallOf(wl)
      for (const url of ['https://10.0.0.1/', 'https://[::1]/']) {
        await assert.rejects(createWebhook(call, wl.service.core, { url, events: ['*'] }), (error) => {
          assert.equal((error as { code: string }).code, 'VALIDATION_ERROR')
          assert.match(JSON.stringify(error), /"path":"url"/)
          return true
        })
      }
      const { status, body } = await wl.post('/v1/webhooks', {
        url: 'https://metadata.google.internal/',
        events: ['*'],
      })
      assert.equal(status, 400)
      assert.equal(body.error.details[0].path, 'url')
    })

    it('asks for admin, and knows nothing of another tenant', async () => {
      const key = (await wl.post('/v1/keys', { name: 'agent', scopes: ['tasks:write', 'knowledge:write'] })).body.data
        .key
      assert.equal((await wl.get('/v1/webhooks', { key })).status, 403)
      assert.equal((await wl.post('/v1/webhooks', { url, events: ['*'] }, { key })).status, 403)
      for (const path of ['whk_none', 'whk_none/deliveries', 'whk_none/deliveries/dlv_none']) {
        assert.equal((await wl.get(`/v1/webhooks/${path}`)).status, 404)
      }
      assert.equal((await wl.post('/v1/webhooks/whk_none/ping', undefined)).status, 404)
    })

    it('takes twenty of a tenant, however many arrive at once', async () => {
      const answers = await Promise.all(
        Array.from({ length: 30 }, () => wl.post('/v1/webhooks', { url, events: ['user.*'] })),
      )
      assert.equal(answers.filter(({ status }) => status === 201).length, 20)
      assert.equal(answers.filter(({ status }) => status === 409).length, 10)
    })
  })
}
