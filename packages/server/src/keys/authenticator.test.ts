import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines } from '../../test/engines.js'
import { systemClock } from '../clock.js'
import { migrate } from '../db/migrate.js'
import { openDb } from '../db/open.js'
import type { Db } from '../db/port.js'
import { createTenant, operatorCall } from '../tenants/service.js'
import { createAuthenticator } from './authenticator.js'
import { revokeKey } from './service.js'

for (const engine of engines) {
  describe(`authenticator on ${engine.name}`, () => {
    it('does not remember a key from a look-up that its revocation overtook', async () => {
      const store = await engine.createStore()
      const db = await openDb(store)
      await migrate(db)
      const { tenant, key } = await createTenant(db, systemClock, { name: 'one', plan: 'free' })
      let letGo = (): void => {}
      const held = new Promise<void>((resolve) => {
        letGo = resolve
      })
      const slow: Db = {
        ...db,
        get: async <R>(text: string, params?: Parameters<Db['get']>[1]) => {
          const row = await db.get<R>(text, params)
          await held
          return row
        },
      }
      const authenticator = createAuthenticator(slow, systemClock)
      const overtaken = authenticator.authenticate(`Bearer ${key.secret}`)
      await revokeKey(operatorCall(db, systemClock, tenant.id), key.apiKey.id)
      authenticator.forget(key.apiKey.id)
      letGo()
      await overtaken
      await assert.rejects(async () => authenticator.authenticate(`Bearer ${key.secret}`), /revoked/)
      await db.close()
      await store.remove()
    })
  })
}
