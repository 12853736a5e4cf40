import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { expectStatus } from 'worklore-testing/expect'
import { environmentOf, runProgram } from 'worklore-testing/program'
import { migrations } from '../../src/db/migrations/index.js'
import { openDb } from '../../src/db/open.js'
import { postgres, sendAnew, startProcesses } from './processes.js'

const processes = { WORKLORE_PROCESSES: '3', PORT: '0', LOG_LEVEL: 'info' }

describe('starting several processes', () => {
  it('migrates once, shows one banner and one key', async (test) => {
    const store = await postgres.createStore()
    test.after(() => store.remove())
    const node = await startProcesses(store, 3, { WORKLORE_ADMIN_KEY: '', WORKLORE_SECRET_KEY: '' })
    test.after(() => node.end('SIGKILL'))
    const output = node.output()
    assert.equal(output.match(/listening on/g)?.length, 1)
    const keys = output.match(/wl_live_\w+/g)!
    assert.equal(keys.length, 1)
    const migrated = output.split('\n').filter((line) => line.includes('"msg":"schema migrated"'))
    assert.deepEqual(
      migrated.map((line) => JSON.parse(line)).map((entry) => [entry.migrations, entry.newest]),
      [[migrations.length, migrations.at(-1)!.name]],
    )
    for (let request = 0; request < 6; request++)
      expectStatus(await sendAnew(node, 'GET', '/v1/me', { key: keys[0]! }), 200)
    assert.equal(await node.end('SIGTERM'), 0)
  })

  it('is refused with the embedded database', async (test) => {
    const store = await engines[0]!.createStore()
    test.after(() => store.remove())
    for (const count of ['2', 'auto']) {
      const { code, stdout, stderr } = await runProgram(['serve'], {
        ...environmentOf(store),
        WORKLORE_PROCESSES: count,
      })
      assert.deepEqual([code, stdout], [1, ''])
      assert.match(stderr, /WORKLORE_PROCESSES must be 1 without DATABASE_URL: only one process can use/)
    }
    for (const count of ['0', '1.5', 'all', '257']) {
      const { code, stderr } = await runProgram(['serve'], { WORKLORE_PROCESSES: count })
      assert.equal(code, 1)
      assert.match(stderr, /WORKLORE_PROCESSES must be/)
    }
  })

  const failsOnce = async (environment: Record<string, string>, message: RegExp): Promise<void> => {
    const { code, stdout, stderr } = await runProgram(['serve'], { ...processes, ...environment })
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, message)
    assert.equal(stderr.trim().split('\n').length, 1, stderr)
  }

  it('says once why it cannot: no database, a schema of a later version, a port in use', async (test) => {
    await failsOnce(
      { DATABASE_URL: 'postgres://someone@127.0.0.1:1/nothing' },
      /127\.0\.0\.1:1\/nothing: .*ECONNREFUSED/,
    )

    const store = await postgres.createPreparedStore()
    test.after(() => store.remove())
    const db = await openDb(store)
    await db.run("insert into schema_migrations (version, name, applied_at) values (9001, 'later', 0)")
    await db.close()
    await failsOnce(environmentOf(store), /schema is at version 9001/)

    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    test.after(() => taken.close())
    const { port } = taken.address() as AddressInfo
    await failsOnce({ ...environmentOf(store), PORT: String(port) }, /the port is already in use/)
  })
})
