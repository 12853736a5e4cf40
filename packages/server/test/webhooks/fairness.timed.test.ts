import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { startService } from 'worklore-testing/harness'
import { quietBoundMs } from 'worklore-testing/long-run'
import { addTenant } from 'worklore-testing/operator'
import { answer, startReceiver } from 'worklore-testing/receiver'

const config = { webhookAllow: ['127.0.0.0/8'] }
const greedyTenants = 5
const webhooksPerTenant = 20

for (const engine of engines) {
  describe(`webhook deliveries of many tenants on ${engine.name}`, () => {
    it('stay prompt for one tenant while the receivers of five others hang', async (t) => {
      const wl = await startService(engine, { config, webhooks: { stopTimeoutMs: 100 } })
      t.after(() => wl.stop())
      const hanging = await startReceiver()
      hanging.behave(() => {})
      t.after(() => hanging.close())
      const prompt = await startReceiver()
      t.after(() => prompt.close())

      const key = await addTenant(wl)
      await wl.post('/v1/webhooks', { url: prompt.url, events: ['project.*'] }, { key })
      const measureDelay = async (projectKey: string): Promise<number> => {
        const count = prompt.received.length
        const startedAtMs = performance.now()
        await wl.post('/v1/projects', { key: projectKey, name: projectKey }, { key })
        const received = (await prompt.until(count + 1, 120_000)).at(-1)!
        return received.atMs - startedAtMs
      }
      const calmDelayMs = await measureDelay('BEFORE')

      for (let i = 0; i < greedyTenants; i++) {
        const key = await addTenant(wl)
        const webhooks = await Promise.all(
          Array.from({ length: webhooksPerTenant }, () =>
            wl.post('/v1/webhooks', { url: hanging.url, events: ['project.*'] }, { key }),
          ),
        )
        const { sequence } = (await wl.get('/v1/events?types=webhook.created', { key })).body.data[0]
        await wl.post('/v1/projects', { key: 'ONE', name: 'One' }, { key })
        // Each webhook has three requests to send at once: an event, a replay and a ping.
        await Promise.all(
          webhooks.map(async ({ body }) => {
            const path = `/v1/webhooks/${body.data.id}`
            assert.equal((await wl.post(`${path}/replay`, { fromSequence: sequence }, { key })).status, 202)
            assert.equal((await wl.post(`${path}/ping`, undefined, { key })).status, 202)
          }),
        )
      }
      await hanging.until(100, 120_000)

      const delayMs = await measureDelay('AFTER')
      assert.ok(
        delayMs < quietBoundMs(1_000 + calmDelayMs),
        `${Math.round(delayMs)} ms, and ${Math.round(calmDelayMs)} ms before`,
      )
    })

    it('give every tenant its turn if there are more than a node serves at once', async (t) => {
      const wl = await startService(engine, {
        config,
        webhooks: { maxTenants: 1, tenantTimeSliceMs: 200, pollIntervalMs: 50, timeoutMs: 2_000, stopTimeoutMs: 100 },
      })
      t.after(() => wl.stop())
      const slow = await startReceiver()
      t.after(() => slow.close())
      // The slow receiver keeps the first tenant always busy.
      slow.behave((response, entry) => setTimeout(() => answer(200)(response, entry), 100))
      const prompt = await startReceiver()
      t.after(() => prompt.close())
      const key = await addTenant(wl)
      await wl.post('/v1/webhooks', { url: prompt.url, events: ['project.*'] }, { key })
      for (let i = 0; i < 3; i++) await wl.post('/v1/webhooks', { url: slow.url, events: ['user.*'] })
      await Promise.all(Array.from({ length: 200 }, (_, i) => wl.post('/v1/users', { name: `user ${i}` })))
      await slow.until(4, 120_000)
      await wl.post('/v1/projects', { key: 'MINE', name: 'Mine' }, { key })
      await prompt.until(1, 120_000)
      assert.ok(slow.received.length < 600, 'the others still had something to send')
    })
  })
}
