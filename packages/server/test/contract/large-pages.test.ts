import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { startService, type TestService } from 'worklore-testing/harness'

for (const engine of engines) {
  describe(`pages of large contents on ${engine.name}`, () => {
    let wl: TestService
    before(async () => {
      wl = await startService(engine)
    })
    after(() => wl.stop())

    it('are cut by their length and go on by their cursor, each item once', async () => {
      const content = 'x'.repeat(1_000_000)
      const keys = Array.from({ length: 20 }, (_, i) => `large/${String(i).padStart(2, '0')}`)
      for (const key of keys) assert.equal((await wl.put(`/v1/knowledge/${key}`, { content })).status, 201)

      const seen: string[] = []
      let pages = 0
      for (let cursor: string | null = ''; cursor !== null; pages++) {
        const { body, text } = await wl.get(`/v1/knowledge?prefix=large/&limit=500${cursor && `&cursor=${cursor}`}`)
        assert.ok(text.length < 10_000_000)
        seen.push(...body.data.map((item: { key: string }) => item.key))
        assert.equal(body.pagination.hasMore, body.pagination.nextCursor !== null)
        cursor = body.pagination.nextCursor
      }
      assert.deepEqual(seen, keys)
      assert.equal(pages, 3)
      assert.equal((await wl.get('/v1/knowledge?prefix=large/&fields=key')).body.data.length, 20)
    })

    it('are whole just below and above the length from which they are written in chunks', async () => {
      assert.equal((await wl.post('/v1/projects', { key: 'LARGE', name: 'Large' })).status, 201)
      const body = { projectId: 'LARGE', title: 'Large', description: 'x'.repeat(4_000) }
      const operations = Array.from({ length: 100 }, () => ({ method: 'POST', path: '/v1/tasks', body }))
      assert.equal((await wl.post('/v1/batch', { operations })).status, 200)
      for (let limit = 50; limit <= 70; limit++) {
        for (const path of ['/v1/events?order=desc&', '/v1/tasks?']) {
          const answer = await wl.get(`${path}limit=${limit}`)
          assert.equal(answer.body?.data?.length, limit, `${path} ${answer.status} ${answer.text.length}`)
        }
      }
    })
  })
}
