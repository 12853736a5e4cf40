import assert from 'node:assert/strict'
import { it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { AppError } from '../../base/errors.js'
import { migrate } from '../../db/migrate.js'
import { openDb } from '../../db/open.js'
import { operatorCall } from '../call.js'
import { createIdempotency } from './service.js'

for (const engine of engines) {
  it(`writes nothing for a request that is refused, on ${engine.name}`, async (test) => {
    const store = await engine.createPreparedStore()
    test.after(() => store.remove())
    const written: string[] = []
    const db = await openDb(store, {
      observe: (text, _ms, _group, access) => {
        if (access === 'write') written.push(text)
      },
    })
    test.after(() => db.close())
    await migrate(db)
    written.length = 0
    const attempt = { route: 'POST /v1/tasks', idempotencyKey: 'once', fingerprint: 'a' }
    const refused = createIdempotency().once(operatorCall(db, Date.now, 'ten_1'), attempt, async () => {
      throw new AppError('in_use', 'Refused.')
    })
    await assert.rejects(refused, { code: 'CONFLICT' })
    assert.deepEqual(
      written.filter((text) => text.includes('idempotent_requests')),
      [],
    )
  })
}
