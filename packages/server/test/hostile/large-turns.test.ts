import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createProject } from 'worklore-testing/factories'
import { describeService } from 'worklore-testing/service-suite'
import { createScheduler, type Scheduler, serviceGroup, writerGroup } from '../../src/scheduling/scheduler.js'

const inner = createScheduler()
let turns = 0
const count = (group: string): void => {
  if (group !== serviceGroup && group !== writerGroup) turns++
}
const scheduler: Scheduler = {
  ...inner,
  turn: (group) => {
    count(group)
    return inner.turn(group)
  },
  resume: (group, work) => {
    count(group)
    return inner.resume(group, work)
  },
}

const turnsOf = async <T>(work: () => Promise<T>): Promise<[turns: number, result: T]> => {
  const before = turns
  const result = await work()
  return [turns - before, result]
}

const megabyte = 1_000_000
const chunkLength = 262_144
/** In some of the contents, the end of a chunk splits a surrogate pair. */
const contentOf = (at: number): string => 'x'.repeat(at) + '🦊'.repeat((megabyte - at) / 4)

describeService(
  'large responses take many turns',
  (wl) => {
    it('when a page of contents is read, encoded and sent', async () => {
      const contents = Array.from({ length: 9 }, (_, at) => contentOf(at))
      for (let at = 0; at < 30; at++) await wl.put(`/v1/knowledge/large/0/${at}`, { content: 'small' })
      for (const [at, content] of contents.entries()) {
        assert.equal((await wl.put(`/v1/knowledge/large/${at + 1}`, { content })).status, 201)
      }
      const [taken, { body, text }] = await turnsOf(() => wl.get('/v1/knowledge?prefix=large/&limit=500'))
      const shown = body.data.slice(30).map(({ content }: { content: string }) => content)
      assert.deepEqual(shown, contents.slice(0, shown.length))
      assert.equal(shown.length, 8)
      // Each content is read by a statement of its own, then each chunk is encoded and sent.
      const fewest = contents.length - 1 + text.length / chunkLength + Buffer.byteLength(text) / chunkLength
      assert.ok(taken >= fewest, `${taken} turns, not ${fewest}`)
    })

    it('when a batch returns large records', async () => {
      const { id: projectId } = await createProject(wl)
      const content = 'ü'.repeat(500_000)
      for (let at = 0; at < 3; at++) await wl.put(`/v1/knowledge/batch/${at}`, { content, projectId })
      const operations = Array.from({ length: 3 }, (_, at) => ({
        method: 'PATCH',
        path: `/v1/knowledge/batch/${at}?projectId=${projectId}`,
        body: { tags: ['new'] },
      }))
      const headers = { 'idempotency-key': 'large' }
      const send = () => wl.post('/v1/batch', { operations }, { headers })
      for (const isReplayed of [false, true]) {
        const [taken, { body, status, text, headers }] = await turnsOf(send)
        assert.equal(status, 200)
        assert.equal(headers['idempotency-replayed'] === 'true', isReplayed)
        assert.equal(body.data[2].body.data.content, content)
        assert.ok(taken >= text.length / chunkLength + Buffer.byteLength(text) / chunkLength, `${taken} turns`)
      }
    })
  },
  { scheduler },
)
