import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { expectStatus } from 'worklore-testing/expect'
import { send, testAdminKey } from 'worklore-testing/harness'
import { findPgbouncer, pooledUrl, startPgbouncer } from 'worklore-testing/pooler'
import { startProcess } from 'worklore-testing/real-process'
import { openDb } from '../../src/db/open.js'

const program = findPgbouncer()
const key = testAdminKey

describe('through a pooler that gives each transaction another connection', {
  skip: program ? false : 'pgbouncer is not installed; PGBOUNCER may name it',
}, () => {
  it('every answer is right, and nodes hear of each other’s writes', async (test) => {
    const { remove, ...store } = await engines.find(({ name }) => name === 'postgres')!.createPreparedStore()
    test.after(remove)
    const { databaseUrl, listenUrl: directUrl = databaseUrl!, ...rest } = store
    const pooler = await startPgbouncer(program!, Number(new URL(directUrl).port))
    test.after(pooler.stop)
    const pooled = { ...rest, databaseUrl: pooledUrl(pooler.port, directUrl) }
    await assert.rejects(startProcess(pooled), /Set WORKLORE_LISTEN_URL/)
    const listening = { WORKLORE_LISTEN_URL: directUrl }
    const nodes = await Promise.all([1, 2].map(() => startProcess(pooled, listening)))
    test.after(() => Promise.all(nodes.map((node) => node.end('SIGKILL'))))
    const [one, other] = nodes.map(({ baseUrl }) => baseUrl) as [string, string]
    expectStatus(await send(one, 'POST', '/v1/projects', { key, body: { key: 'ACME', name: 'Acme' } }), 201)

    const work = async (_: unknown, index: number): Promise<void> => {
      for (let each = 0; each < 10; each++) {
        const title = `Task ${index}.${each}`
        const [here, there] = index % 2 ? [one, other] : [other, one]
        const body = { projectId: 'ACME', title, labels: [`by-${index}`] }
        const created = expectStatus(await send(here, 'POST', '/v1/tasks', { key, body }), 201).body.data
        const read = expectStatus(await send(there, 'GET', `/v1/tasks/${created.id}`, { key }), 200).body.data
        assert.equal(read.title, title)
        const listed = expectStatus(await send(there, 'GET', `/v1/tasks?label=by-${index}`, { key }), 200).body
        assert.equal(listed.data.length, each + 1)
      }
    }
    await Promise.all(Array.from({ length: 8 }, work))
    const waiting = send(other, 'POST', '/v1/tasks/next', { key, body: { label: 'awaited', waitSeconds: 30 } })
    const body = { projectId: 'ACME', title: 'Awaited', labels: ['awaited'] }
    const { body: awaited } = expectStatus(await send(one, 'POST', '/v1/tasks', { key, body }), 201)
    assert.equal((await waiting).body.data.id, awaited.data.id)
  })

  it('statements and transactions wait for their turn for longer than one may take', async (test) => {
    const { remove, ...store } = await engines.find(({ name }) => name === 'postgres')!.createPreparedStore()
    test.after(remove)
    const { databaseUrl, listenUrl = databaseUrl! } = store
    const pooler = await startPgbouncer(program!, Number(new URL(listenUrl).port))
    test.after(pooler.stop)
    const db = await openDb({ ...store, databaseUrl: pooledUrl(pooler.port, listenUrl), listenUrl })
    test.after(() => db.close())
    const asked = Array.from({ length: 32 }, () => db.lookup('select 1 as one from pg_sleep(?)', [0.3]))
    assert.equal((await Promise.all(asked)).length, 32)
    const sleep = 'select 1 as one from pg_sleep(2)'
    const both = Array.from({ length: 12 }, () => [
      db.transaction((tx) => Promise.resolve(tx.get(sleep))),
      db.get(sleep),
    ])
    assert.equal((await Promise.all(both.flat())).length, 24)
    assert.equal(db.figures!().connectionsLost, 0)
  })
})
