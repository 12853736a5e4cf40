import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { startService } from 'worklore-testing/harness'
import { eventually, startReceiver } from 'worklore-testing/receiver'

for (const engine of engines) {
  describe(`an event that a node committed before it died on ${engine.name}`, () => {
    it('is sent within 15 s, though no node was told of it', async (t) => {
      const receiver = await startReceiver()
      t.after(() => receiver.close())
      const wl = await startService(engine, {
        config: { webhookAllow: ['127.0.0.0/8'] },
        webhooks: { pollIntervalMs: 50, idleTimeoutMs: 200 },
      })
      t.after(() => wl.stop())
      const { db } = wl.service.core
      const tenantId = wl.tenantId
      await wl.post('/v1/projects', { key: 'ACME', name: 'Acme' })
      await wl.post('/v1/webhooks', { url: receiver.url, events: ['task.*'] })
      await wl.post('/v1/tasks', { projectId: 'ACME', title: 'told of' })
      await receiver.until(1)
      const nextLook = async () =>
        db.get<{ due_at: number }>(
          "select min(due_at) as due_at from due_work where tenant_id = ? and kind = 'webhooks'",
          [tenantId],
        )
      await eventually(nextLook, (look) => look!.due_at > wl.service.core.clock())

      // As its commit would be, had its node died before the notification.
      const columns = 'type, project_id, subject, created_at, actor, data'
      await db.transaction(async (tx) => {
        await tx.run(
          `insert into events (tenant_id, sequence, id, ${columns})
           select tenant_id, sequence + 1, 'evt_unannounced', ${columns} from events e
           where e.tenant_id = ? and e.type = 'task.created'`,
          [tenantId],
        )
        await tx.run('update tenants set last_sequence = last_sequence + 1 where tenant_id = ?', [tenantId])
      }, tenantId)
      wl.passTime(15_000)
      const [, found] = await receiver.until(2)
      assert.equal(found!.event.id, 'evt_unannounced')
    })
  })
}
