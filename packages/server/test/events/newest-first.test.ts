import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { expectError, expectInvalid, expectStatus } from 'worklore-testing/expect'
import { describeTenant } from 'worklore-testing/service-suite'

interface Event {
  sequence: number
  type: string
  timestamp: string
  actor: { keyId: string }
  data: { id?: string; key?: string; taskId?: string }
}

describeTenant('events, the newest first', (wl) => {
  let agent: { id: string; key: string }
  let all: Event[]

  before(async () => {
    agent = (await wl.post('/v1/keys', { name: 'agent', scopes: ['tasks:write', 'knowledge:write'] })).body.data
    await wl.post('/v1/projects', { key: 'ACME', name: 'Acme' })
    await wl.post('/v1/projects', { key: 'OTHER', name: 'Other' })
    for (const projectId of ['ACME', 'OTHER', 'ACME']) {
      expectStatus(await wl.post('/v1/tasks', { projectId, title: 'x' }, { key: agent.key }), 201)
    }
    for (const id of ['ACME-1', 'ACME-2', 'OTHER-1']) {
      await wl.patch(`/v1/tasks/${id}`, { priority: 'high' })
      await wl.post(`/v1/tasks/${id}/comments`, { body: 'hi' }, { key: agent.key })
    }
    await wl.put('/v1/knowledge/guides/setup', { content: 'x' }, { key: agent.key })
    await wl.delete('/v1/tasks/ACME-2')
    all = (await wl.get('/v1/events?limit=500')).body.data.toReversed()
  })

  /** All pages of a query, with so many events each. */
  const readAll = async (query: string, limit: number, key = wl.adminKey): Promise<Event[]> => {
    const events: Event[] = []
    for (let before = ''; ; ) {
      const { body } = expectStatus(await wl.get(`/v1/events?order=desc&limit=${limit}${query}${before}`, { key }), 200)
      events.push(...body.data)
      assert.equal(body.pagination.hasMore, body.pagination.nextBefore !== null)
      assert.equal(body.pagination.nextAfter, all[0]!.sequence)
      if (!body.pagination.hasMore) return events
      before = `&before=${body.pagination.nextBefore}`
    }
  }

  const taskOf = ({ type, data }: Event): string | undefined => (type.startsWith('comment.') ? data.taskId : data.id)

  it('are the feed from its end', async () => {
    for (const limit of [1, 3, 500]) assert.deepEqual(await readAll('', limit), all)
    const { body } = await wl.get(`/v1/events?order=desc&before=${all[4]!.sequence}&limit=2`)
    assert.deepEqual(body.data, all.slice(5, 7))
    assert.deepEqual((await wl.get('/v1/events?order=desc&before=1')).body.data, [])
  })

  it('are found by subject, a task with its comments', async () => {
    for (const limit of [1, 500]) {
      const events = await readAll('&subject=ACME-1', limit)
      assert.deepEqual(
        events,
        all.filter((event) => taskOf(event) === 'ACME-1'),
      )
      assert.deepEqual(
        events.map(({ type }) => type),
        ['comment.created', 'task.updated', 'task.created'],
      )
    }
    assert.equal((await readAll('&subject=ACME-2', 500))[0]?.type, 'task.deleted')
    assert.equal((await readAll('&subject=guides/setup', 500)).length, 1)
    assert.deepEqual(await readAll('&subject=ACME', 500), [])
  })

  it('are found by actor, together with the other filters', async () => {
    const byAgent = all.filter(({ actor }) => actor.keyId === agent.id)
    for (const limit of [1, 2, 500]) {
      assert.deepEqual(await readAll(`&actor=${agent.id}`, limit), byAgent)
      assert.deepEqual(
        await readAll(`&actor=${agent.id}&subject=ACME-1`, limit),
        byAgent.filter((event) => taskOf(event) === 'ACME-1'),
      )
      assert.deepEqual(
        await readAll(`&actor=${agent.id}&types=comment.*`, limit),
        byAgent.filter(({ type }) => type === 'comment.created'),
      )
    }
    assert.deepEqual(await readAll('&actor=key_nobody', 500), [])
  })

  it('are found by time', async () => {
    const times = all.map(({ timestamp }) => timestamp)
    for (const limit of [2, 500]) {
      for (const time of [times[0]!, times[4]!, times.at(-1)!]) {
        assert.deepEqual(
          await readAll(`&since=${time}`, limit),
          all.filter(({ timestamp }) => timestamp >= time),
        )
        assert.deepEqual(
          await readAll(`&until=${time}&types=task.*`, limit),
          all.filter(({ timestamp, type }) => timestamp < time && type.startsWith('task.')),
        )
      }
    }
    assert.deepEqual(await readAll('&since=2099-01-01&until=2100-01-01', 500), [])
    assert.deepEqual(await readAll('&until=2020-01-01', 500), [])
    expectInvalid(await wl.get('/v1/events?order=desc&since=yesterday'), 'since')
    expectInvalid(await wl.get('/v1/events?until=2020-01-01'), 'until')
  })

  it('show a key what it may see', async () => {
    const fields = { name: 'limited', scopes: ['tasks:read'], projectIds: ['OTHER'] }
    const { key } = (await wl.post('/v1/keys', fields)).body.data
    all = (await wl.get('/v1/events?limit=500')).body.data.toReversed()
    const feed = (await wl.get('/v1/events?limit=500', { key })).body.data.toReversed()
    for (const limit of [1, 500]) assert.deepEqual(await readAll('', limit, key), feed)
    assert.deepEqual(await readAll('&subject=ACME-1', 500, key), [])
    expectError(await wl.get('/v1/events?order=desc&projectId=ACME', { key }), 'FORBIDDEN')
  })

  it('keep what belongs to the feed apart', async () => {
    expectInvalid(await wl.get('/v1/events?order=desc&after=0&wait=1'), 'after', 'wait')
    expectInvalid(await wl.get('/v1/events?before=5&subject=x&actor=y'), 'actor', 'before', 'subject')
    expectInvalid(await wl.get('/v1/events?order=newest'), 'order')
    expectInvalid(await wl.get('/v1/events?order=desc&before=0'), 'before')
  })
})
