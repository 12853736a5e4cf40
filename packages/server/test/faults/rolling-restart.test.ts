import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { engines, type TestStore } from 'worklore-testing/engines'
import { expectStatus } from 'worklore-testing/expect'
import { send, testAdminKey } from 'worklore-testing/harness'
import { pauseInShortRun } from 'worklore-testing/long-run'
import { programIn } from 'worklore-testing/program'
import { startReadinessProxy } from 'worklore-testing/readiness-proxy'
import { type RealProcess, startProcess } from 'worklore-testing/real-process'
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

/** Nodes behind a proxy that watches them. */
const startCluster = async (test: TestContext, store: TestStore) => {
  const proxy = await startReadinessProxy()
  test.after(proxy.stop)
  const nodes = new Set<RealProcess>()
  test.after(() => Promise.all([...nodes].map((node) => node.end('SIGKILL'))))
  const start = async (path?: string): Promise<RealProcess> => {
    const node = await startProcess(store, { WORKLORE_DRAIN_SECONDS: '10' }, path)
    nodes.add(node)
    proxy.add(node.baseUrl)
    await proxy.sees(node.baseUrl, true)
    return node
  }
  const stop = async (node: RealProcess): Promise<void> => {
    const ended = node.end('SIGTERM')
    await proxy.sees(node.baseUrl, false)
    // Not by way of the proxy: whoever has not heard of it yet is still served.
    expectStatus(await send(node.baseUrl, 'GET', '/v1/me', { key }), 200)
    expectStatus(await send(node.baseUrl, 'GET', '/readyz'), 503)
    assert.equal(await ended, 0)
    nodes.delete(node)
  }
  return { baseUrl: proxy.baseUrl, start, stop }
}

/** Creates and reads tasks until it is told to stop; no request may fail. */
const startLoad = async (test: TestContext, baseUrl: string) => {
  expectStatus(await send(baseUrl, 'POST', '/v1/projects', { key, body: { key: 'ACME', name: 'Acme' } }), 201)
  let isOver = false
  const failures: string[] = []
  let created = 0
  const call = async (method: string, path: string, expected: number, body?: unknown) => {
    const answer = await send(baseUrl, method, path, { key, body })
    if (answer.status !== expected) failures.push(`${method} ${path}: ${answer.status} ${answer.text}`)
    return answer
  }
  const client = async (): Promise<void> => {
    while (!isOver) {
      const { body } = await call('POST', '/v1/tasks', 201, { projectId: 'ACME', title: 'Written while restarting' })
      if (!body?.data) continue
      created++
      await call('GET', `/v1/tasks/${body.data.id}`, 200)
      await pauseInShortRun()
    }
  }
  const load = Array.from({ length: clients }, client)
  return {
    end: async () => {
      isOver = true
      await Promise.all(load)
      test.diagnostic(`${created} tasks created meanwhile`)
      assert.deepEqual(failures, [])
      assert.ok(created > 0)
    },
  }
}

const expectReady = async (nodes: readonly RealProcess[]): Promise<void> => {
  for (const { baseUrl } of nodes) expectStatus(await send(baseUrl, 'GET', '/readyz'), 200)
}

const engine = engines.find(({ name }) => name === 'postgres')!
/** A folder with a build of the last release. */
const lastRelease = process.env.LAST_RELEASE

describe('nodes restarted one by one behind a proxy', () => {
  it('fail no request, though the schema is already that of a later release', async (test) => {
    const store = await engine.createPreparedStore()
    test.after(() => store.remove())
    const { baseUrl, start, stop } = await startCluster(test, store)
    const nodes = [await start(), await start(), await start()]
    const load = await startLoad(test, baseUrl)
    await migrateFurther(store)
    await expectReady(nodes)
    for (const node of nodes) {
      await stop(node)
      await start()
    }
    await load.end()
  })

  if (lastRelease !== undefined) {
    it('fail no request while those of the last release are replaced', async (test) => {
      const store = await engine.createStore()
      test.after(() => store.remove())
      const { baseUrl, start, stop } = await startCluster(test, store)
      const old = programIn(lastRelease)
      const restarted = await start(old)
      const replaced = await start(old)
      const versionOf = async (): Promise<number> => {
        const db = await openDb(store)
        const row = await db.get<{ version: number }>('select max(version) as version from schema_migrations')
        await db.close()
        return row!.version
      }
      test.diagnostic(`from schema ${await versionOf()}`)
      const load = await startLoad(test, baseUrl)
      await start()
      assert.equal(await versionOf(), migrations.at(-1)!.version)
      await expectReady([restarted, replaced])
      await stop(restarted)
      const again = await start(old)
      await stop(replaced)
      await start()
      await stop(again)
      await load.end()
    })
  }
})
