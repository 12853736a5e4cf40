import assert from 'node:assert/strict'
import { readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { Webhook as Verifier } from 'standardwebhooks'
import { engines, type TestStore } from 'worklore-testing/engines'
import { startService, type TestService } from 'worklore-testing/harness'
import { runProgram } from 'worklore-testing/program'
import { type Receiver, startReceiver } from 'worklore-testing/receiver'
import { systemClock } from '../../src/base/clock.js'
import { newSecretKey } from '../../src/base/secret-key.js'
import { openDb } from '../../src/db/open.js'
import type { Db } from '../../src/db/port.js'
import { resetSecretKey, rotateSecretKey } from '../../src/db/secrets/service.js'
import { reencryptWebhookSecrets, replaceLostSecrets } from '../../src/subscribers/webhooks/stored-secrets.js'

const newKeyText = (): string => newSecretKey().bytes.toString('base64')

for (const engine of engines) {
  describe(`webhook secrets on ${engine.name}`, () => {
    const prepare = async (t: TestContext) => {
      const store = await engine.createPreparedStore()
      const receiver = await startReceiver()
      const running = new Set<TestService>()
      t.after(async () => {
        await receiver.close()
        for (const wl of running) await wl.stop().finally(() => store.remove())
        if (running.size === 0) await store.remove()
      })
      const start = async (secretKey: string | undefined): Promise<TestService> => {
        const wl = await startService(engine, {
          store,
          config: { webhookAllow: ['127.0.0.0/8'], secretKey },
          webhooks: { pollIntervalMs: 50 },
        })
        running.add(wl)
        const stop = async (): Promise<void> => {
          running.delete(wl)
          await wl.stop()
        }
        return { ...wl, stop }
      }
      return { store, receiver, start, keyFile: join(store.dataDir, 'secret.key') }
    }
    const withDb = async <T>(store: TestStore, work: (db: Db) => Promise<T>): Promise<T> => {
      const db = await openDb(store)
      try {
        return await work(db)
      } finally {
        await db.close()
      }
    }
    const storedSecrets = (store: TestStore) =>
      withDb(store, async (db) =>
        (await db.all<{ secret: string }>('select secret from webhook_secrets')).map(({ secret }) => secret),
      )
    const deliverOne = async (wl: TestService, receiver: Receiver, secret: string) => {
      const count = receiver.received.length
      await wl.post('/v1/users', { name: 'Ada' })
      const { text, headers } = (await receiver.until(count + 1)).at(-1)!
      new Verifier(secret).verify(text, headers as Record<string, string>)
    }

    it('are encrypted with a key file that only its owner can read; without it no node starts', async (t) => {
      const { store, receiver, start, keyFile } = await prepare(t)
      const first = await start(undefined)
      const { secret } = (await first.post('/v1/webhooks', { url: receiver.url, events: ['user.*'] })).body.data
      await deliverOne(first, receiver, secret)
      await first.stop()
      assert.equal(statSync(keyFile).mode & 0o777, 0o600)
      const [stored] = await storedSecrets(store)
      assert.match(stored!, /^v1:[0-9a-f]{16}:[A-Za-z0-9+/=]+$/)

      const again = await start(undefined)
      await deliverOne(again, receiver, secret)
      await again.stop()

      const text = readFileSync(keyFile, 'utf8').trim()
      rmSync(keyFile)
      await assert.rejects(start(newKeyText()), /another key.*WORKLORE_SECRET_KEY/s)
      await assert.rejects(start(undefined), /another key.*WORKLORE_SECRET_KEY.*copy secret\.key/s)
      assert.throws(() => statSync(keyFile), { code: 'ENOENT' })
      const moved = await start(text)
      await deliverOne(moved, receiver, secret)
      await moved.stop()
    })

    it('of an older version are encrypted at the next start, and still sign', async (t) => {
      const { store, receiver, start } = await prepare(t)
      const key = newKeyText()
      const before = await start(key)
      await before.post('/v1/webhooks', { url: receiver.url, events: ['user.*'] })
      await before.stop()
      const plain = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
      await withDb(store, async (db) => {
        await db.run('update webhook_secrets set secret = ?', [plain])
        await db.run('delete from secret_keys')
      })
      const after = await start(key)
      assert.ok((await storedSecrets(store)).every((secret) => secret.startsWith('v1:')))
      await deliverOne(after, receiver, plain)
      await after.stop()
    })

    it('are encrypted with a new key file while the service runs', async (t) => {
      const { store, receiver, start, keyFile } = await prepare(t)
      const wl = await start(undefined)
      const { secret, id } = (await wl.post('/v1/webhooks', { url: receiver.url, events: ['user.*'] })).body.data
      const [before] = await storedSecrets(store)
      const fileBefore = readFileSync(keyFile, 'utf8')
      const settings = { secretKey: undefined, dataDir: store.dataDir }
      const { reencrypted } = await withDb(store, (db) => rotateSecretKey(db, settings, reencryptWebhookSecrets))
      assert.equal(reencrypted, 1)
      const [after] = await storedSecrets(store)
      assert.notEqual(after!.split(':')[1], before!.split(':')[1])
      const fileAfter = readFileSync(keyFile, 'utf8')
      assert.notEqual(fileAfter, fileBefore)
      assert.equal(fileAfter.trim().split('\n').length, 1)
      assert.equal(statSync(keyFile).mode & 0o777, 0o600)
      await deliverOne(wl, receiver, secret)
      const rotated = await wl.post(`/v1/webhooks/${id}/rotate-secret`, { overlapSeconds: 0 })
      await deliverOne(wl, receiver, rotated.body.data.secret)
    })

    it('are encrypted with a new key of the setting, and go on after an interruption', async (t) => {
      const { store, receiver, start } = await prepare(t)
      const [old, next] = [newKeyText(), newKeyText()]
      const first = await start(old)
      const { secret } = (await first.post('/v1/webhooks', { url: receiver.url, events: ['user.*'] })).body.data
      const rotate = (secretKey: string, reencryptAll = reencryptWebhookSecrets) =>
        withDb(store, (db) => rotateSecretKey(db, { secretKey, dataDir: store.dataDir }, reencryptAll))
      await assert.rejects(rotate(old), /NEW,OLD/)
      await assert.rejects(rotate(next), /another key/)
      const interrupted = new Error('interrupted')
      await assert.rejects(
        rotate(`${next},${old}`, () => Promise.reject(interrupted)),
        interrupted,
      )
      // A node that has only the old key writes nothing with it any more.
      const refused = await first.post('/v1/webhooks', { url: receiver.url, events: ['user.*'] })
      assert.equal(refused.status, 503)
      await first.stop()
      await assert.rejects(start(next), /another key/)

      assert.equal((await rotate(`${next},${old}`)).reencrypted, 1)
      const wl = await start(next)
      await deliverOne(wl, receiver, secret)
      await wl.stop()
      await assert.rejects(start(old), /another key/)
    })

    it('start over where the key is lost: the webhook is off until its secret is rotated', async (t) => {
      const { store, receiver, start } = await prepare(t)
      const first = await start(newKeyText())
      const { id, secret } = (await first.post('/v1/webhooks', { url: receiver.url, events: ['user.*'] })).body.data
      await first.stop()
      const settings = { secretKey: newKeyText(), dataDir: store.dataDir }
      const reset = () =>
        withDb(store, (db) =>
          resetSecretKey(db, settings, reencryptWebhookSecrets, (db, box) => replaceLostSecrets(db, systemClock, box)),
        )
      assert.equal((await reset()).replaced, 1)
      assert.equal((await reset()).replaced, 0)
      const wl = await start(settings.secretKey)
      const webhook = (await wl.get(`/v1/webhooks/${id}`)).body.data
      assert.equal(webhook.active, false)
      assert.match(webhook.disabledReason, /secret was lost/)
      const { data } = (await wl.post(`/v1/webhooks/${id}/rotate-secret`, { overlapSeconds: 0 })).body
      assert.notEqual(data.secret, secret)
      await wl.patch(`/v1/webhooks/${id}`, { active: true })
      await deliverOne(wl, receiver, data.secret)
    })

    it('include the URL of a chat, which is lost with the key', async (t) => {
      const { store, receiver, start } = await prepare(t)
      const [old, next] = [newKeyText(), newKeyText()]
      const first = await start(old)
      const webhook = { url: `${receiver.url}/chat`, format: 'slack', events: ['user.*'] }
      const { id } = (await first.post('/v1/webhooks', webhook)).body.data
      const deliverToChat = async (wl: TestService) => {
        const count = receiver.received.length
        await wl.post('/v1/users', { name: 'Ada' })
        assert.equal((await receiver.until(count + 1)).at(-1)!.path, '/hook/chat')
      }
      await deliverToChat(first)
      await first.stop()
      const rotation = { secretKey: `${next},${old}`, dataDir: store.dataDir }
      const { reencrypted } = await withDb(store, (db) => rotateSecretKey(db, rotation, reencryptWebhookSecrets))
      assert.equal(reencrypted, 2)
      const rotated = await start(next)
      await deliverToChat(rotated)
      await rotated.stop()

      const settings = { secretKey: newKeyText(), dataDir: store.dataDir }
      const { replaced } = await withDb(store, (db) =>
        resetSecretKey(db, settings, reencryptWebhookSecrets, (db, box) => replaceLostSecrets(db, systemClock, box)),
      )
      assert.equal(replaced, 1)
      const wl = await start(settings.secretKey)
      assert.match((await wl.get(`/v1/webhooks/${id}`)).body.data.disabledReason, /URL was lost/)
      assert.equal((await wl.patch(`/v1/webhooks/${id}`, { active: true })).status, 409)
      assert.equal((await wl.patch(`/v1/webhooks/${id}`, { active: true, url: webhook.url })).status, 200)
      await deliverToChat(wl)
    })

    it('are rotated by the command line', async (t) => {
      const { store, start } = await prepare(t)
      await (await start(undefined)).stop()
      const environment = {
        WORKLORE_DATA: store.dataDir,
        ...(store.databaseUrl && { DATABASE_URL: store.databaseUrl }),
      }
      const rotated = await runProgram(['secrets', 'rotate'], environment)
      assert.equal(rotated.code, 0, rotated.stderr)
      assert.equal(JSON.parse(rotated.stdout).reencrypted, 0)
      const unsure = await runProgram(['secrets', 'reset'], environment)
      assert.equal(unsure.code, 1)
      assert.match(unsure.stderr, /--yes/)
      await (await start(undefined)).stop()
    })
  })
}
