import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DatabaseSync } from '@photostructure/sqlite'
import { engines } from 'worklore-testing/engines'
import { hooks } from '../../app.js'
import { systemClock } from '../../base/clock.js'
import type { AppError } from '../../base/errors.js'
import type { CommitListener } from '../../db/commit-notifier.js'
import { migrate } from '../../db/migrate.js'
import { openDb, sqlitePath } from '../../db/open.js'
import type { Db } from '../../db/port.js'
import { keysTopic } from '../../db/topics.js'
import type { Actor } from '../../operations/actor.js'
import { operatorCall } from '../../operations/call.js'
import { createTenant } from '../tenants/service.js'
import { createAuthenticator } from './authenticator.js'
import { createKey, revokeKey } from './service.js'
import type { SecretOwner } from './store.js'

for (const engine of engines) {
  describe(`authenticator on ${engine.name}`, () => {
    it('does not remember a key from a look-up that its revocation overtook', async () => {
      const store = await engine.createPreparedStore()
      const db = await openDb(store)
      await migrate(db)
      const { tenant, key } = await createTenant(db, systemClock, { name: 'one', plan: 'free' })
      let letGo = (): void => {}
      const held = new Promise<void>((resolve) => {
        letGo = resolve
      })
      let noteRead = (): void => {}
      const isRead = new Promise<void>((resolve) => {
        noteRead = resolve
      })
      const slow: Db = {
        ...db,
        lookup: async <R>(text: string, params?: Parameters<Db['lookup']>[1]) => {
          const row = await db.lookup<R>(text, params)
          if (!text.includes('api_keys')) return row
          noteRead()
          await held
          return row
        },
      }
      const authenticator = createAuthenticator(slow, systemClock)
      const overtaken = authenticator.authenticate(`Bearer ${key.secret}`)
      await isRead
      const told = new Promise<void>((resolve) => {
        db.listen((notification) => notification.has(keysTopic(tenant.id)) && resolve())
      })
      await revokeKey(operatorCall(db, systemClock, tenant.id), hooks, key.apiKey.id)
      await told
      letGo()
      await overtaken
      await assert.rejects(async () => authenticator.authenticate(`Bearer ${key.secret}`), /revoked/)
      await db.close()
      await store.remove()
    })

    it('knows of a key that another process revoked', async () => {
      const store = await engine.createPreparedStore()
      const [db, other] = [await openDb(store, { isOnlyWriter: true }), await openDb(store)]
      await migrate(db)
      const { tenant, key } = await createTenant(db, systemClock, { name: 'one', plan: 'free' })
      const authenticator = createAuthenticator(db, systemClock)
      const call = operatorCall(other, systemClock, tenant.id)
      const authenticate = async (secret: string) => authenticator.authenticate(`Bearer ${secret}`)
      for (let round = 0; round < 5; round++) {
        const made = await createKey(call, { name: 'short-lived', scopes: ['admin'] })
        await authenticate(made.secret)
        await authenticate(key.secret)
        await revokeKey(call, hooks, made.apiKey.id)
        // On a shared store the news takes a moment; what is remembered would hold for three seconds.
        if (db.dialect.isShared) {
          const later = keysTopic(`ten_later_${round}`)
          const told = new Promise<void>((resolve) => {
            db.listen((notification) => notification.has(later) && resolve())
          })
          await other.transaction(async (tx) => {
            await tx.run('update tenants set plan = plan where tenant_id = ?', [tenant.id])
            tx.announce(later)
          })
          await told
        }
        await assert.rejects(authenticate(made.secret), /revoked/)
        await authenticate(key.secret)
      }
      await Promise.all([db.close(), other.close()])
      await store.remove()
    })
  })
}

it('is not misled by a snapshot from before the revocation', async () => {
  const store = await engines[0]!.createPreparedStore()
  const db = await openDb(store, { isOnlyWriter: true })
  await migrate(db)
  const { key } = await createTenant(db, systemClock, { name: 'one', plan: 'free' })
  const authenticator = createAuthenticator(db, systemClock)
  const authenticate = async () => authenticator.authenticate(`Bearer ${key.secret}`)
  await authenticate()
  const other = new DatabaseSync(sqlitePath(store))
  await new Promise(setImmediate)
  // All in one turn of the event loop, whose reads share a snapshot.
  db.get('select count(*) as count from tenants')
  other.exec('update api_keys set revoked_at = 1')
  await assert.rejects(authenticate(), /revoked/)
  other.close()
  await db.close()
  await store.remove()
})

it('looks at the keys of the tenant that announced a change alone', async () => {
  const store = await engines[0]!.createPreparedStore()
  const db = await openDb(store)
  let announce: CommitListener = () => {}
  const lookedUp: string[] = []
  const owner = { revoked_at: null, expires_at: null, secret_expires_at: null } as unknown as SecretOwner
  const authenticator = createAuthenticator(
    {
      ...db,
      listenSync: (listener) => {
        announce = listener
      },
    },
    systemClock,
    undefined,
    {
      fingerprintOf: (credential) => credential!,
      find: async (_db, tenant_id) => {
        lookedUp.push(tenant_id)
        return {
          owner: { ...owner, tenant_id },
          identity: { plan: 'free', actor: { allowedAddresses: null } as unknown as Actor },
        }
      },
      unknown: () => new Error('unknown') as AppError,
    },
  )
  const tenantIds = Array.from({ length: 50 }, (_, at) => `ten_${at}`)
  const authenticateAll = async () => {
    for (const tenantId of tenantIds) await authenticator.authenticate(tenantId)
  }
  await authenticateAll()
  let asked = 0
  const topics = new Set([keysTopic('ten_7')])
  announce({
    has: (topic) => {
      asked++
      return topics.has(topic)
    },
    keys: () => topics,
  })
  assert.ok(asked <= 2, `${asked} cached keys were looked at`)
  lookedUp.length = 0
  await authenticateAll()
  assert.deepEqual(lookedUp, ['ten_7'])
  await db.close()
  await store.remove()
})
