import assert from 'node:assert/strict'
import { once } from 'node:events'
import { it } from 'node:test'
import { MessageChannel } from 'node:worker_threads'
import { serveSearch } from 'worklore-search/worker'
import { startEmbeddingsEndpoint } from 'worklore-testing/embeddings-endpoint'
import { engines } from 'worklore-testing/engines'
import { createProject, createTask, putItem } from 'worklore-testing/factories'
import { keepStatement } from 'worklore-testing/kept-statements'
import { createTenantWall } from 'worklore-testing/tenant-wall'
import { openDb } from '../../src/db/open.js'
import type { Db } from '../../src/db/port.js'
import { createPorts } from '../../src/subscribers/search/ports.js'
import { embeddedAll, startHybrid } from './hybrid-fixture.js'

/** Searches as the worker does, in this thread. */
const startWorker = (db: Db, model: string) => {
  const { port1, port2 } = new MessageChannel()
  serveSearch({
    port: port2,
    ports: createPorts(db, model),
    memoryBytes: 10_000_000,
    minSnapshotDocuments: 1,
    describeError: String,
    onClose: async () => {},
  })
  let lastId = 0
  const ask = async (question: object): Promise<{ hits: unknown[] }> => {
    const id = ++lastId
    port1.postMessage({ ...question, id })
    if ('search' in question) {
      const queryVector = { vector: new Float32Array(384).fill(0.05), outOfVocabularyShare: 0 }
      port1.postMessage({ id, kind: 'embeddedQuery', queryVector, isLate: false })
    }
    for (;;) {
      const [answer] = await once(port1, 'message')
      assert.ok(!('problem' in answer || 'error' in answer), JSON.stringify(answer))
      if (answer.id === id && !('phase' in answer)) return answer.value
    }
  }
  return {
    find: async (tenantId: string, collection: string, text: string): Promise<number> => {
      const isRendered = collection === 'knowledge'
      const search = { collection, text, filter: {}, top: 10, from: 0, to: 10, at: Date.now(), isRendered }
      return (await ask({ kind: 'search', tenantId, awaitsVector: true, search })).hits.length
    },
    close: async () => {
      await ask({ kind: 'close' })
    },
    leave: () => port1.close(),
  }
}

for (const engine of engines) {
  it(`searches name the tenant in each of their statements on ${engine.name}`, async (test) => {
    const endpoint = await startEmbeddingsEndpoint()
    test.after(() => endpoint.stop())
    const wl = await startHybrid(engine, endpoint)
    test.after(() => wl.stop())
    const wall = createTenantWall()
    const seen = new Set<string>()
    const db = await openDb(wl.store, {
      observe: (text, ...rest) => {
        seen.add(text)
        keepStatement(text)
        wall.observe(text, ...rest)
      },
    })
    test.after(() => db.close())
    const { model } = wl.service.core.vectors!
    await createProject(wl, { key: 'ACME' })
    const { id } = await createTask(wl, 'ACME', { title: 'Needle', description: 'In a haystack' })
    await wl.post(`/v1/tasks/${id}/comments`, { body: 'Another needle' })
    await putItem(wl, 'guides/needle', 'A needle')
    await embeddedAll(wl)

    const building = startWorker(db, model)
    test.after(building.leave)
    for (const collection of ['task', 'comment', 'knowledge']) {
      assert.equal(await building.find(wl.tenantId, collection, 'needle'), 1, collection)
    }
    await putItem(wl, 'guides/thread', 'A needle and its thread')
    await wl.post(`/v1/tasks/${id}/comments`, { body: 'A third needle' })
    await embeddedAll(wl)
    assert.equal(await building.find(wl.tenantId, 'knowledge', 'needle'), 2)
    await building.close()

    const restoring = startWorker(db, model)
    test.after(restoring.leave)
    assert.equal(await restoring.find(wl.tenantId, 'knowledge', 'needle'), 2)
    await restoring.close()
    for (const table of ['tasks', 'comments', 'knowledge', 'events', 'embeddings', 'search_snapshots']) {
      assert.ok(
        [...seen].some((text) => new RegExp(`\\b${table}\\b`).test(text)),
        table,
      )
    }
    wall.check()
  })
}
