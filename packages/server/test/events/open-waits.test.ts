import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type EventStream, openStream } from 'worklore-testing/event-stream'
import { expectError } from 'worklore-testing/expect'
import { createKey, createProject } from 'worklore-testing/factories'
import type { Answer } from 'worklore-testing/harness'
import { describeTenant } from 'worklore-testing/service-suite'
import { until } from 'worklore-testing/until'
import { maxOpenOnNode } from '../../src/limits/quotas/open-streams.js'

describeTenant('streams and long polls', (wl) => {
  const open = (query: string, key = wl.adminKey): Promise<EventStream> =>
    openStream(`${wl.baseUrl}/v1/events/stream${query}`, key)

  it('end when the key loses the project they named', async () => {
    const [lost, kept] = [await createProject(wl), await createProject(wl)]
    const key = await createKey(wl, { scopes: ['tasks:read'], projectIds: [lost.id, kept.id] })
    const streams = [await open(`?projectId=${lost.id}`, key.key), await open('', key.key)]
    const [named, whole] = streams as [EventStream, EventStream]
    const poll = wl.get(`/v1/events?after=latest&wait=30&projectId=${lost.id}`, { key: key.key })
    await sleep(300)
    await wl.patch(`/v1/keys/${key.id}`, { projectIds: [kept.id] })
    await wl.post('/v1/tasks', { projectId: lost.id, title: 'not for this key' })
    await wl.post('/v1/tasks', { projectId: kept.id, title: 'for this key' })
    expectError(await poll, 'FORBIDDEN')
    await named.ended
    assert.equal(named.events.at(-1)!.name, 'end')
    assert.equal(named.events.at(-1)!.data.code, 'FORBIDDEN')
    assert.deepEqual(
      named.events.filter(({ data }) => data.data?.title === 'for this key'),
      [],
    )
    const [event] = await whole.until(1)
    assert.equal(event!.data.data.title, 'for this key')
    whole.close()
  })

  it(`are ${maxOpenOnNode} of a tenant at most, which wake together with few reads`, async () => {
    const { id } = await createProject(wl)
    const streams = await Promise.all(Array.from({ length: 20 }, () => open('')))
    const polls: Promise<Answer>[] = []
    let reads = 0
    const { db } = wl.service.core
    const { all } = db
    db.all = (text, params) => {
      if (text.includes('from events')) reads++
      return all(text, params)
    }
    const { nextAfter } = (await wl.get('/v1/events?after=latest')).body.pagination
    // On a busy machine, the first polls may end before the last ones are open.
    const poll = () => wl.get(`/v1/events?after=${nextAfter}&wait=30`)
    for (let at = streams.length; at < maxOpenOnNode; at++) polls.push(until(poll, ({ body }) => body.data?.length > 0))
    const pollBriefly = () => wl.get('/v1/events?after=latest&wait=1')
    assert.equal((await until(pollBriefly, ({ status }) => status === 429)).status, 429)
    const refused = await wl.get('/v1/events?wait=30')
    expectError(refused, 'RATE_LIMIT_EXCEEDED')
    assert.equal(refused.body.error.limit, 'open streams and long polls')
    assert.equal((await open('')).status, 429)
    assert.equal((await wl.get('/v1/events')).status, 200)

    reads = 0
    await wl.post('/v1/tasks', { projectId: id, title: 'awaited' })
    for (const each of polls) assert.equal((await each).body.data[0].data.title, 'awaited')
    for (const stream of streams) assert.equal((await stream.until(1))[0]!.data.data.title, 'awaited')
    assert.ok(reads <= 20, `${reads} reads for ${maxOpenOnNode} waits`)

    for (const stream of streams) stream.close()
    assert.equal((await until(pollBriefly, ({ status }) => status === 200)).status, 200)
    db.all = all
  })
})
