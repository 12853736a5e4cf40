import assert from 'node:assert/strict'
import { after, before, describe, it, mock } from 'node:test'
import { type EmbeddingsEndpoint, startEmbeddingsEndpoint } from 'worklore-testing/embeddings-endpoint'
import { engines } from 'worklore-testing/engines'
import { createProject, createTask, putItem } from 'worklore-testing/factories'
import { rowsOf, type TestService } from 'worklore-testing/harness'
import { until } from 'worklore-testing/until'
import { embeddedAll, findsSoon, keysOf, searchKnowledge, startHybrid } from './hybrid-fixture.js'

for (const engine of engines) {
  describe(`search by words and meaning on ${engine.name}`, () => {
    let endpoint: EmbeddingsEndpoint
    let wl: TestService
    before(async () => {
      endpoint = await startEmbeddingsEndpoint()
      wl = await startHybrid(engine, endpoint)
      await createProject(wl, { key: 'ACME' })
      await putItem(wl, 'pets/afternoon', 'The cat sleeps on the carpet')
      await putItem(wl, 'office/bills', 'An invoice is due in thirty days')
      await putItem(wl, 'ops/database', 'Restart it after a change of its settings')
      await embeddedAll(wl)
    })
    after(async () => {
      await wl.stop()
      await endpoint.stop()
    })

    it('finds a note that shares no word with the query', async () => {
      assert.deepEqual(await findsSoon(wl, 'feline napping', ['pets/afternoon']), ['pets/afternoon'])
      const body = await searchKnowledge(wl, 'feline napping')
      assert.equal(body.semantic, true)
      assert.ok(body.data[0].score > 0 && body.data[0].score < 1)
      assert.ok([...endpoint.keys].every((key) => key === 'Bearer endpoint-key'))
    })

    it('finds nothing for nonsense, and nothing by meaning for codes', async () => {
      assert.deepEqual((await searchKnowledge(wl, 'xqzv blorptang fnurgle')).data, [])
      assert.deepEqual(await searchKnowledge(wl, 'zq9x7v 0x8f3a 42'), { data: [], semantic: false })
    })

    it('explains a score by its parts', async () => {
      await findsSoon(wl, 'feline napping', ['pets/afternoon'])
      const [hit] = (await searchKnowledge(wl, 'cat dozing', '&explain=true')).data
      assert.equal(hit.key, 'pets/afternoon')
      assert.equal(hit.explain.by, 'words and meaning')
      assert.ok(hit.explain.bm25 > 0 && hit.explain.coverage > 0 && hit.explain.coverage < 1)
      assert.ok(hit.explain.cosine > 0.4 && hit.explain.cosine < 1)
      const [exact] = (await searchKnowledge(wl, 'pets/afternoon', '&explain=true')).data
      assert.deepEqual([exact.key, exact.score, exact.explain.by], ['pets/afternoon', 1, 'exact'])
      assert.equal((await searchKnowledge(wl, 'cat')).data[0].explain, undefined)
    })

    it('applies filters to what is found by meaning', async () => {
      await findsSoon(wl, 'feline napping', ['pets/afternoon'])
      assert.deepEqual(keysOf(await searchKnowledge(wl, 'feline napping', '&prefix=office')), [])
      assert.deepEqual(keysOf(await searchKnowledge(wl, 'feline napping', '&projectId=ACME')), [])
      assert.deepEqual(keysOf(await searchKnowledge(wl, 'feline napping -carpet')), [])
      assert.deepEqual(keysOf(await searchKnowledge(wl, 'feline napping "the cat"')), ['pets/afternoon'])
      assert.deepEqual(keysOf(await searchKnowledge(wl, 'feline napping', '&minScore=0.9')), [])
    })

    it('finds tasks by meaning, with their filters, and embeds none again for its status', async () => {
      const task = await createTask(wl, 'ACME', { title: 'Pay the bill', labels: ['money'] })
      const search = async (more = '') => (await wl.get(`/v1/tasks/search?q=invoice&explain=true${more}`)).body
      const found = await until(search, ({ data }) => data.length === 1)
      assert.equal(found.data[0].id, task.id)
      assert.equal(found.semantic, true)
      assert.ok(found.data[0].explain.cosine > 0.36)
      assert.deepEqual((await search('&status=done')).data, [])
      assert.equal((await search('&label=money')).data.length, 1)

      const embedded = endpoint.texts.filter((text) => text.startsWith('Pay the bill')).length
      await wl.patch(`/v1/tasks/${task.id}`, { status: 'done' })
      await embeddedAll(wl)
      assert.equal((await search('&status=done')).data.length, 1)
      assert.equal(endpoint.texts.filter((text) => text.startsWith('Pay the bill')).length, embedded)
    })

    it('answers by meaning with what holds, and embeds no text again for its state', async () => {
      await putItem(wl, 'beds/old', 'A kitten snoozes')
      await embeddedAll(wl)
      const embeddings = () => endpoint.texts.filter((text) => text.includes('A kitten snoozes')).length
      const before = embeddings()
      await putItem(wl, 'beds/new', 'Lights go out at nine', { supersedes: ['beds/old'] })
      await embeddedAll(wl)
      assert.deepEqual(await findsSoon(wl, 'feline napping', ['beds/new'], '&prefix=beds/'), ['beds/new'])
      assert.equal((await searchKnowledge(wl, 'feline napping', '&prefix=beds/')).data[0].foundBy, 'beds/old')
      await wl.post('/v1/knowledge/retract', { key: 'beds/new', reason: 'wrong' })
      await embeddedAll(wl)
      assert.deepEqual(keysOf(await searchKnowledge(wl, 'feline napping', '&prefix=beds/')), ['beds/old'])
      assert.equal(embeddings(), before)
      await wl.patch('/v1/knowledge/beds/old', { title: 'Invoice' })
      await embeddedAll(wl)
      assert.ok(endpoint.texts.some((text) => text.startsWith('Invoice\nA kitten snoozes')))
      for (const key of ['beds/old', 'beds/new']) await wl.delete(`/v1/knowledge/${key}`)
    })

    it('follows changes and deletions', async () => {
      const { id } = await putItem(wl, 'moved', 'kitten')
      assert.deepEqual((await findsSoon(wl, 'feline napping', ['moved', 'pets/afternoon'])).toSorted(), [
        'moved',
        'pets/afternoon',
      ])
      await putItem(wl, 'moved', 'power-cycle')
      assert.deepEqual(await findsSoon(wl, 'reboot', ['moved', 'ops/database']), ['moved', 'ops/database'])
      await wl.delete('/v1/knowledge/moved')
      assert.deepEqual(await findsSoon(wl, 'feline napping', ['pets/afternoon']), ['pets/afternoon'])
      await embeddedAll(wl)
      assert.equal((await rowsOf(wl, `select tenant_id from embeddings where subject = '${id}'`)).length, 0)
    })

    it('compares the text that holds, also where it was compared before', async () => {
      await putItem(wl, 'compared', 'An invoice for the mat')
      const cosine = async () => {
        const { data } = await searchKnowledge(wl, 'invoice', '&explain=true&prefix=compared')
        return data[0]?.explain.cosine ?? 0
      }
      const before = await until(cosine, (found) => found > 0)
      assert.ok(before < 0.9)
      assert.equal(await cosine(), before)
      await putItem(wl, 'compared', 'Payment')
      await until(cosine, (found) => found > 0.99)
      await wl.delete('/v1/knowledge/compared')
    })

    it('answers 304 until a vector is there that could change the answer', async () => {
      const path = '/v1/knowledge/search?q=feline+napping'
      await findsSoon(wl, 'feline napping', ['pets/afternoon'])
      const poll = (etag: string) => wl.get(path, { headers: { 'If-None-Match': etag } })
      const engine = mock.method(wl.service.core.search, 'search')
      endpoint.behaviour = 'fail'
      try {
        await putItem(wl, 'pets/evening', 'Kitten')
        // The index reads vectors once a second; until then it may not have those of before.
        const kept = await until(
          async () => {
            engine.mock.resetCalls()
            return wl.get(path)
          },
          () => engine.mock.callCount() === 0,
        )
        assert.deepEqual([keysOf(kept.body), kept.body.semantic], [['pets/afternoon'], true])
        const known = kept.headers.etag!
        assert.equal((await poll(known)).status, 304)
        assert.equal(engine.mock.callCount(), 0)
        endpoint.behaviour = 'answer'
        const found = await until(
          () => poll(known),
          ({ status, body }) => status === 200 && body.data.length > 1,
        )
        assert.deepEqual(keysOf(found.body).toSorted(), ['pets/afternoon', 'pets/evening'])
      } finally {
        engine.mock.restore()
        endpoint.behaviour = 'answer'
        await wl.delete('/v1/knowledge/pets/evening')
      }
    })

    it('keeps the answer to a query that says nothing to the model', async () => {
      const path = '/v1/knowledge/search?q=42+0x8f3a'
      const engine = mock.method(wl.service.core.search, 'search')
      try {
        const kept = await until(
          async () => {
            engine.mock.resetCalls()
            return wl.get(path)
          },
          () => engine.mock.callCount() === 0,
        )
        assert.equal(kept.body.semantic, false)
      } finally {
        engine.mock.restore()
      }
    })

    it('searches again by meaning after it could not', async () => {
      const path = '/v1/knowledge/search?q=carpet+dozing'
      endpoint.behaviour = 'fail'
      try {
        const answers = [await wl.get(path), await wl.get(path), await wl.get(path)]
        assert.deepEqual(
          answers.map(({ body }) => body.semantic),
          [false, false, false],
        )
      } finally {
        endpoint.behaviour = 'answer'
      }
      await until(
        () => wl.get(path),
        ({ body }) => body.semantic,
      )
    })

    it('forgets the vectors of a project with it', async () => {
      await createProject(wl, { key: 'GONE' })
      const { id } = await putItem(wl, 'kept', 'kitten', { projectId: 'GONE' })
      const vectors = async () => (await rowsOf(wl, `select tenant_id from embeddings where subject = '${id}'`)).length
      await embeddedAll(wl)
      await wl.delete('/v1/projects/GONE?force=true')
      await embeddedAll(wl)
      assert.equal(await vectors(), 1)
      await wl.delete('/v1/trash')
      await until(vectors, (count) => count === 0)
      assert.deepEqual(await findsSoon(wl, 'feline napping', ['pets/afternoon']), ['pets/afternoon'])
    })

    it('shows what waits, what was done and what failed', async () => {
      const { text } = await wl.get('/metrics', { key: null })
      assert.match(text, /^worklore_embedding_waiting 0$/m)
      assert.match(text, /^worklore_embedded_total [1-9]/m)
      assert.match(text, /^worklore_embedding_failures_total 0$/m)
      assert.match(text, /^worklore_search_memory_bytes [1-9]/m)
    })
  })
}

describe('search by words and meaning on both engines', () => {
  it('answers the same ten, with the same scores', async () => {
    const answers: unknown[] = []
    const endpoint = await startEmbeddingsEndpoint()
    for (const engine of engines) {
      const wl = await startHybrid(engine, endpoint)
      const words = ['cat', 'invoice', 'restart', 'mat', 'bill', 'kitten', 'rug', 'power-cycle', 'dozing', 'harbour']
      for (let at = 0; at < 40; at++) {
        await putItem(wl, `notes/${at}`, `${words[at % 10]} and ${words[(at * 3) % 7]}\n\nabout ${words[(at * 7) % 9]}`)
      }
      await embeddedAll(wl)
      await searchKnowledge(wl, 'warm')
      await new Promise((resolve) => setTimeout(resolve, 1_200))
      const found = []
      for (const q of ['feline', 'payment due', 'reboot the harbour', 'napping kitten', 'carpet -cat']) {
        const { data, semantic } = await searchKnowledge(wl, q, '&explain=true')
        assert.equal(semantic, true)
        found.push(
          data.map(({ key, score, explain }: { key: string; score: number; explain: object }) => ({
            key,
            score,
            explain,
          })),
        )
      }
      answers.push(found)
      await wl.stop()
    }
    await endpoint.stop()
    assert.ok((answers[0] as unknown[][]).every((hits) => hits.length > 0))
    assert.deepEqual(answers[0], answers[1])
  })
})
