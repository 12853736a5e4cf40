import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type EmbeddingsEndpoint, startEmbeddingsEndpoint } from 'worklore-testing/embeddings-endpoint'
import { engines } from 'worklore-testing/engines'
import { putItem } from 'worklore-testing/factories'
import { rowsOf, startService, type TestService } from 'worklore-testing/harness'
import { quietBoundMs } from 'worklore-testing/long-run'
import { createTestTenant } from 'worklore-testing/operator'
import { until } from 'worklore-testing/until'
import { embeddedAll, findsSoon, keysOf, searchKnowledge, startHybrid } from './hybrid-fixture.js'

/** Statements after which the store refuses, or no longer refuses, to queue texts of a tenant. */
const refusal = (isPostgres: boolean, tenantId: string, on: boolean): string[] => {
  if (!on) return [isPostgres ? 'alter table embedding_queue drop constraint refused' : 'drop trigger refused']
  if (isPostgres) return [`alter table embedding_queue add constraint refused check (tenant_id <> '${tenantId}')`]
  return [
    `create trigger refused before insert on embedding_queue when new.tenant_id = '${tenantId}'
       begin select raise(abort, 'refused'); end`,
  ]
}

for (const engine of engines) {
  describe(`what waits to be embedded on ${engine.name}`, () => {
    let endpoint: EmbeddingsEndpoint
    before(async () => {
      endpoint = await startEmbeddingsEndpoint()
    })
    after(() => endpoint.stop())

    it('searches by words where embeddings are off, and embeds what is there once they are on', async () => {
      const store = await engine.createPreparedStore()
      const off = await startService(engine, { store })
      await putItem(off, 'a', 'The cat sleeps')
      const body = await searchKnowledge(off, 'cat')
      assert.deepEqual([keysOf(body), body.semantic], [['a'], false])
      assert.deepEqual((await searchKnowledge(off, 'feline')).data, [])
      await off.stop()

      const on = await startHybrid(engine, endpoint, { store })
      assert.deepEqual(await findsSoon(on, 'feline', ['a']), ['a'])
      await on.stop()
      await store.remove()
    })

    it('goes on by words while the endpoint is away, and loses nothing', async () => {
      endpoint.behaviour = 'fail'
      const wl = await startHybrid(engine, endpoint)
      await putItem(wl, 'a', 'The cat sleeps')
      const body = await searchKnowledge(wl, 'cat')
      assert.deepEqual([keysOf(body), body.semantic], [['a'], false])
      assert.equal((await wl.get('/readyz', { key: null })).status, 200)
      const { text } = await until(
        () => wl.get('/metrics', { key: null }),
        (metrics) => /^worklore_embedding_failures_total [1-9]/m.test(metrics.text),
      )
      assert.match(text, /^worklore_embedding_waiting 1$/m)

      endpoint.behaviour = 'answer'
      assert.deepEqual(await findsSoon(wl, 'feline', ['a']), ['a'])
      await wl.stop()
    })

    it('says what waits, and that a search is not complete while much does', async () => {
      endpoint.behaviour = 'fail'
      const wl = await startHybrid(engine, endpoint)
      const me = async () => (await wl.get('/v1/me')).body.data.embedding
      const none = { waiting: 0, searchable: null, secondsLeft: null }
      assert.deepEqual(await me(), none)
      await putItem(wl, 'a', 'The cat sleeps')
      assert.equal('complete' in (await searchKnowledge(wl, 'cat')), false)
      for (let at = 0; at < 100; at++) await putItem(wl, `dog/${at}`, `The dog ${at}`)
      await until(me, ({ waiting }) => waiting === 101)
      assert.deepEqual(await me(), { waiting: 101, searchable: 0, secondsLeft: null })
      for (const path of ['/v1/knowledge/search?q=cat', '/v1/search?q=cat']) {
        const { body } = await until(
          () => wl.get(path),
          ({ body }) => body.complete === false,
        )
        assert.deepEqual(keysOf(body), ['a'])
      }
      assert.equal((await wl.get('/v1/tasks/search?q=cat')).body.complete, false)
      endpoint.behaviour = 'answer'
      await embeddedAll(wl)
      assert.deepEqual(await me(), none)
      await until(
        () => searchKnowledge(wl, 'cat'),
        (body) => !('complete' in body),
      )
      await wl.stop()
    })

    it('does not wait long for an endpoint that does not answer', async () => {
      const wl = await startHybrid(engine, endpoint)
      await putItem(wl, 'a', 'The cat sleeps')
      await findsSoon(wl, 'feline', ['a'])
      endpoint.behaviour = 'hang'
      const startedAt = performance.now()
      const body = await searchKnowledge(wl, 'sleeping cat')
      assert.deepEqual([keysOf(body), body.semantic], [['a'], false])
      assert.ok(performance.now() - startedAt < quietBoundMs(5_000))
      endpoint.behaviour = 'answer'
      await wl.stop()
    })

    it('embeds all again for another model, and keeps the old vectors for nodes that still use them', async () => {
      const store = await engine.createPreparedStore()
      const first = await startHybrid(engine, endpoint, { store, model: 'old' })
      for (const key of ['a', 'b', 'c']) await putItem(first, key, `The cat ${key}`)
      await embeddedAll(first)
      await first.stop()
      const before = endpoint.texts.length
      const second = await startHybrid(engine, endpoint, { store, model: 'new' })
      await until(
        () => searchKnowledge(second, 'feline'),
        ({ data }) => data.length === 3,
      )
      const again = endpoint.texts.slice(before).filter((text) => text.startsWith('The cat'))
      assert.deepEqual(again.toSorted(), ['The cat a', 'The cat b', 'The cat c'])
      const models = await rowsOf<{ model: string; count: number }>(
        second,
        'select model, count(*) as count from embeddings group by model order by model',
      )
      assert.deepEqual(
        models.map(({ model, count }) => [model, count]),
        [
          ['new', 3],
          ['old', 3],
        ],
      )
      await second.stop()
      await store.remove()
    })

    it('embeds what was written since before the rest of a long text, of any tenant', async () => {
      const slow = await startEmbeddingsEndpoint()
      const wl = await startHybrid(engine, slow)
      const other = await createTestTenant(wl)
      const written: Promise<unknown>[] = []
      const isLong = (text: string) => text.includes('tortoise')
      const newer = ['The cat sleeps', 'An invoice']
      const areNewerEmbedded = async () => newer.every((text) => slow.texts.includes(text))
      slow.beforeAnswer = async (texts) => {
        if (!texts.some(isLong)) return
        if (written.length === 0) written.push(putItem(wl, 'newer', newer[0]!), putItem(other, 'newer', newer[1]!))
        await Promise.all(written)
        // Until then its batches are answered slowly, and there are some.
        if (!(await areNewerEmbedded())) await sleep(1_000)
      }
      const long = await putItem(wl, 'long', 'A tortoise and its way home. '.repeat(4_000))
      await until(
        () => rowsOf(wl, `select tenant_id from embeddings where subject = '${long.id}'`),
        (rows) => rows.length === 1,
      )
      const lastOfLong = slow.texts.findLastIndex(isLong)
      for (const text of newer) assert.ok(slow.texts.indexOf(text) < lastOfLong, text)
      assert.equal(slow.texts.filter((text) => text === newer[0]).length, 1)
      await wl.stop()
      await slow.stop()
    })

    it('goes on for the others where that of one tenant fails, and for it once it no longer does', async () => {
      const wl = await startHybrid(engine, endpoint)
      const { db } = wl.service.core
      const failing = await createTestTenant(wl)
      const refuse = (on: boolean) =>
        db.migrationTransaction(async (tx) => {
          for (const statement of refusal(tx.dialect.isShared, failing.tenantId, on)) await tx.run(statement)
        })
      await refuse(true)
      await putItem(failing, 'b', 'The cat sleeps')
      const failures = async () =>
        Number(
          /^worklore_background_failures_total\{kind="embedding"\} (\d+)$/m.exec(
            (await wl.get('/metrics', { key: null })).text,
          )?.[1] ?? 0,
        )
      await until(failures, (count) => count >= 2)
      await putItem(wl, 'a', 'The cat sleeps')
      assert.deepEqual(await findsSoon(wl, 'feline', ['a']), ['a'])
      assert.deepEqual(keysOf(await searchKnowledge(failing, 'feline')), [])
      await refuse(false)
      assert.deepEqual(await findsSoon(failing, 'feline', ['b']), ['b'])
      await wl.stop()
    })

    it('is taken over from a node that died in the middle, and nothing is lost', async () => {
      const store = await engine.createPreparedStore()
      const stuck = await startEmbeddingsEndpoint()
      stuck.behaviour = 'hang'
      const dying = await startHybrid(engine, stuck, { store, leaseMs: 300 })
      await putItem(dying, 'a', 'The cat sleeps')
      await until(
        () => rowsOf(dying, 'select tenant_id from embedding_queue where claim is not null'),
        (rows) => rows.length > 0,
      )
      const heir = await startHybrid(engine, endpoint, { store })
      assert.deepEqual(await findsSoon(heir, 'feline', ['a']), ['a'])
      await heir.stop()
      await dying.stop()
      await stuck.stop()
      await store.remove()
    })
  })
}

describe('two nodes on one PostgreSQL', () => {
  it('share the list without doing work twice, and each finds what the other embedded', async () => {
    const postgres = engines.find(({ name }) => name === 'postgres')!
    const store = await postgres.createPreparedStore()
    const endpoint = await startEmbeddingsEndpoint()
    const nodes = await Promise.all([
      startHybrid(postgres, endpoint, { store }),
      startHybrid(postgres, endpoint, { store }),
    ])
    const texts = Array.from({ length: 40 }, (_, at) => `Note number ${'x'.repeat(at + 1)}`)
    await Promise.all(texts.map((text, at) => putItem(nodes[at % 2]!, `notes/${at}`, text)))
    await putItem(nodes[0]!, 'cat', 'The cat sleeps')
    await embeddedAll(nodes[0]!)
    assert.deepEqual(endpoint.texts.filter((text) => text.startsWith('Note')).toSorted(), texts.toSorted())
    for (const node of nodes) assert.deepEqual(await findsSoon(node, 'feline', ['cat']), ['cat'])
    await Promise.all(nodes.map((node) => node.stop()))
    await endpoint.stop()
    await store.remove()
  })

  it('compare a text that both have compared before as the other has changed it', async () => {
    const postgres = engines.find(({ name }) => name === 'postgres')!
    const store = await postgres.createPreparedStore()
    const endpoint = await startEmbeddingsEndpoint()
    const nodes = [await startHybrid(postgres, endpoint, { store }), await startHybrid(postgres, endpoint, { store })]
    const cosineOn = async (node: TestService) =>
      (await searchKnowledge(node, 'invoice', '&explain=true')).data[0]?.explain.cosine ?? 0
    await putItem(nodes[0]!, 'compared', 'An invoice for the mat')
    for (const node of nodes)
      assert.ok(
        (await until(
          () => cosineOn(node),
          (cosine) => cosine > 0,
        )) < 0.9,
      )
    await putItem(nodes[1]!, 'compared', 'Payment')
    for (const node of nodes)
      await until(
        () => cosineOn(node),
        (cosine) => cosine > 0.99,
      )
    await Promise.all(nodes.map((node) => node.stop()))
    await endpoint.stop()
    await store.remove()
  })
})
