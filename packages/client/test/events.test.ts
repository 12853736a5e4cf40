import assert from 'node:assert/strict'
import { before, beforeEach, it } from 'node:test'
import { type ChangeEvent, UnauthorizedError, ValidationError } from '../src/index.js'
import { onEveryEngine } from './on-every-engine.js'

onEveryEngine('events', (stage) => {
  before(() => stage.wl.projects.create({ key: 'ACME', name: 'Acme' }))
  beforeEach(() => {
    stage.proxy.cutStreamsAfterMs = undefined
  })

  const create = (title: string) => stage.wl.tasks.create({ projectId: 'ACME', title })
  const take = async (events: AsyncIterable<ChangeEvent>, count: number): Promise<ChangeEvent[]> => {
    const taken: ChangeEvent[] = []
    for await (const event of events) if (taken.push(event) === count) break
    return taken
  }

  it('are listed, over all pages and by type', async () => {
    const { wl } = stage
    for (let index = 0; index < 5; index++) await create(`listed ${index}`)
    const titles: string[] = []
    for await (const event of wl.events.list({ types: ['task.created', 'user.*'], limit: 2 })) {
      if (event.type === 'task.created') titles.push(event.data.title)
    }
    assert.deepEqual(
      titles,
      [0, 1, 2, 3, 4].map((index) => `listed ${index}`),
    )
    const { pagination } = await wl.events.list({ after: 'latest' })
    assert.equal(pagination.hasMore, false)
  })

  it('are waited for by a long poll', async () => {
    const { wl } = stage
    const { pagination } = await wl.events.list({ after: 'latest' })
    const waiting = wl.events.list({ after: pagination.nextAfter, wait: 10 }).then(({ data }) => data)
    setTimeout(() => create('awaited'), 100)
    assert.equal((await waiting).length, 1)
  })

  it('are streamed from a position on, and as they come', async () => {
    const { wl } = stage
    const { pagination } = await wl.events.list({ after: 'latest' })
    const first = await create('before')
    const streaming = take(wl.events.stream({ after: pagination.nextAfter, types: ['task.*'] }), 3)
    await wl.knowledge.put('not/asked/for', { content: 'x' })
    await wl.tasks.update(first.id, { status: 'done' })
    await wl.tasks.delete(first.id)
    const events = await streaming
    assert.deepEqual(
      events.map(({ type }) => type),
      ['task.created', 'task.updated', 'task.deleted'],
    )
    assert.deepEqual(events[1]!.previous && 'status' in events[1]!.previous && events[1]!.previous.status, 'todo')
  })

  it('go on where the stream stopped, each once, however often it is cut', async (context) => {
    const { proxy, clientWith } = stage
    let reconnects = 0
    const wl = clientWith({ onRetry: () => reconnects++ })
    proxy.cutStreamsAfterMs = 150
    const count = 150
    const sent = proxy.requests.length
    // Read to the end of what is written below; begins with "from now on", before the first of it.
    const events = wl.events.stream({ types: 'task.created' })
    const first = events.next()
    const isStreaming = () => proxy.requests.slice(sent).some(({ path }) => path.startsWith('/v1/events/stream?types'))
    while (!isStreaming()) {
      await new Promise((done) => setTimeout(done, 10))
    }
    const writing = (async () => {
      for (let index = 0; index < count; index++) {
        await create(`stream ${index}`)
        await new Promise((done) => setTimeout(done, 10))
      }
    })()
    const opening = (await first).value as ChangeEvent
    const all = [opening, ...(await take(events, count - 1))]
    await writing
    assert.deepEqual(
      all.map((event) => (event.type === 'task.created' ? event.data.title : '')),
      Array.from({ length: count }, (_, index) => `stream ${index}`),
    )
    assert.ok(reconnects >= 3, `only ${reconnects} reconnects`)
    context.diagnostic(`${count} events over ${reconnects} cut connections, 0 missed, 0 doubled`)
  })

  it('survive refusals and resets at the door', async () => {
    const { proxy, wl } = stage
    const { pagination } = await wl.events.list({ after: 'latest' })
    await create('behind the door')
    proxy.queue.push('unavailable', 'reset', 'bad gateway')
    const [event] = await take(wl.events.stream({ after: pagination.nextAfter }), 1)
    assert.equal(event!.type, 'task.created')
  })

  it('end with an error that no waiting mends, and at once with a signal', async () => {
    const { wl, clientWith } = stage
    await assert.rejects(
      take(clientWith({ apiKey: 'wl_live_nobody' }).events.stream({ after: 0 }), 1),
      UnauthorizedError,
    )
    await assert.rejects(take(wl.events.stream({ types: 'nonsense' }), 1), ValidationError)
    const controller = new AbortController()
    const reason = new Error('enough')
    setTimeout(() => controller.abort(reason), 200)
    await assert.rejects(take(wl.events.stream({}, { signal: controller.signal }), 1), reason)
  })

  it('end when the key is revoked', async () => {
    const { wl, clientWith } = stage
    const { id, key } = await wl.keys.create({ name: 'follower', scopes: ['tasks:read'] })
    const streaming = take(clientWith({ apiKey: key! }).events.stream(), 1)
    setTimeout(() => wl.keys.delete(id), 300)
    await assert.rejects(streaming, UnauthorizedError)
  })
})
