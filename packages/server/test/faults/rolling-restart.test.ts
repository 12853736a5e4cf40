import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines, type TestStore } from 'worklore-testing/engines'
import { expectStatus } from 'worklore-testing/expect'
import { send, testAdminKey } from 'worklore-testing/harness'
import { startReadinessProxy } from 'worklore-testing/readiness-proxy'
import { startProcess } from 'worklore-testing/real-process'
import { migrate } from '../../src/db/migrate.js'
import type { Migration } from '../../src/db/migration.js'
import { migrations } from '../../src/db/migrations/index.js'
import { openDb } from '../../src/db/open.js'

const key = testAdminKey
const clients = 8

/** As the first node of a later release does, which says that this one can go on. */
const migrateFurther = async (store: TestStore): Promise<void> => {
  const later: Migration = {
    version: 9_001,
    name: 'of a later release',
    minVersion: migrations.at(-1)!.version,
    statements: () => ['alter table tasks add column later text', 'create table later_things (a text)'],
  }
  const db = await openDb(store)
  await migrate(db, [...migrations, later])
  await db.close()
}

describe('nodes restarted one by one behind a proxy', () => {
  it('fail no request, though the schema is already that of a later release', async (test) => {
    const engine = engines.find(({ name }) => name === 'postgres')!
    const store = await engine.createPreparedStore()
    test.after(() => store.remove())
    const proxy = await startReadinessProxy()
    test.after(proxy.stop)
    const startNode = async () => {
      const node = await startProcess(store, { WORKLORE_DRAIN_SECONDS: '10' })
      proxy.add(node.baseUrl)
      await proxy.sees(node.baseUrl, true)
      return node
    }
    const nodes = [await startNode(), await startNode(), await startNode()]
    test.after(() => Promise.all(nodes.map((node) => node.end('SIGKILL'))))
    expectStatus(await send(proxy.baseUrl, 'POST', '/v1/projects', { key, body: { key: 'ACME', name: 'Acme' } }), 201)

    let isOver = false
    const failures: string[] = []
    let created = 0
    const call = async (method: string, path: string, expected: number, body?: unknown) => {
      const answer = await send(proxy.baseUrl, method, path, { key, body })
      if (answer.status !== expected) failures.push(`${method} ${path}: ${answer.status} ${answer.text}`)
      return answer
    }
    const client = async (): Promise<void> => {
      while (!isOver) {
        const { body } = await call('POST', '/v1/tasks', 201, { projectId: 'ACME', title: 'Written while restarting' })
        if (!body?.data) continue
        created++
        await call('GET', `/v1/tasks/${body.data.id}`, 200)
      }
    }
    const load = Array.from({ length: clients }, client)
    await migrateFurther(store)
    for (const { baseUrl } of nodes) expectStatus(await send(baseUrl, 'GET', '/readyz'), 200)
    for (const index of nodes.keys()) {
      const node = nodes[index]!
      const ended = node.end('SIGTERM')
      await proxy.sees(node.baseUrl, false)
      // Not by way of the proxy: whoever has not heard of it yet is still served.
      expectStatus(await send(node.baseUrl, 'GET', '/v1/me', { key }), 200)
      expectStatus(await send(node.baseUrl, 'GET', '/readyz'), 503)
      assert.equal(await ended, 0)
      nodes[index] = await startNode()
    }
    isOver = true
    await Promise.all(load)
    test.diagnostic(`${created} tasks created during three restarts`)
    assert.deepEqual(failures, [])
    assert.ok(created > 0)
  })
})
