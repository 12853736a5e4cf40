import assert from 'node:assert/strict'
import { after, before, describe, it, mock } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { expectError, expectInvalid, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask, createUser, putItem } from 'worklore-testing/factories'
import { type Answer, startService, type TestService } from 'worklore-testing/harness'
import { randomFrom } from 'worklore-testing/random'
import { describeService } from 'worklore-testing/service-suite'
import { until } from 'worklore-testing/until'
import { type Config, readConfig } from '../../src/config.js'
import { editionOf } from '../../src/http/caching/polling.js'
import { setPlan } from '../../src/tenancy/tenants/service.js'

const etagOf = ({ headers }: Answer): string => {
  assert.match(headers.etag ?? '', /^W\/"[\w-]*(\.[\w-]{20,})?"$/)
  return headers.etag!
}

describeService('lists that are asked for again', (wl) => {
  let projectId: string
  before(async () => {
    projectId = (await createProject(wl, { key: 'POLL' })).id
    await createTask(wl, 'POLL', { title: 'First', labels: ['x'] })
    await putItem(wl, 'guides/one', 'One')
  })

  /** A poll that knows the last answer. */
  const poller = async (path: string, key?: string) => {
    const options = key === undefined ? {} : { key }
    let known = await wl.get(path, options)
    expectStatus(known, 200)
    return {
      known: () => known.body,
      /** Whether the answer is another one. */
      poll: async (): Promise<boolean> => {
        const answer = await wl.get(path, { ...options, headers: { 'If-None-Match': etagOf(known) } })
        if (answer.status === 304) {
          assert.equal(answer.text, '')
          known.headers.etag = etagOf(answer)
          assert.ok(answer.headers['x-ratelimit-remaining'])
          return false
        }
        expectStatus(answer, 200)
        known = answer
        return true
      },
    }
  }

  const paths = [
    '/v1/tasks?projectId=POLL',
    '/v1/tasks?label=x&sort=-updatedAt&limit=5',
    '/v1/tasks/cards?projectId=POLL',
    '/v1/tasks/counts?projectId=POLL',
    '/v1/tasks?ready=true',
    '/v1/tasks?claimed=true',
    '/v1/tasks/POLL-1/comments',
    '/v1/questions?state=open',
    '/v1/knowledge?prefix=guides/',
    '/v1/knowledge/search?q=one',
    '/v1/tasks/search?q=first',
    '/v1/search?q=one',
    '/v1/tasks/POLL-1/similar',
    '/v1/projects',
    '/v1/users',
    '/v1/events?order=desc&limit=3',
    '/v1/events?after=0&limit=5',
    '/v1/history?task=POLL-1',
    '/v1/trash',
    '/v1/keys',
    '/v1/webhooks',
  ]
  for (const path of paths) {
    it(`answer 304 while nothing has changed: GET ${path}`, async () => {
      const { poll } = await poller(path)
      for (let at = 0; at < 3; at++) if (!(await poll())) return
      assert.fail('every answer was another one')
    })
  }

  const patchFound = async (patch: object) => {
    const [{ id }] = (await wl.get('/v1/tasks/search?q=needle')).body.data
    expectStatus(await wl.patch(`/v1/tasks/${id}`, patch), 200)
  }

  const changes: [what: string, path: string, change: () => Promise<unknown>][] = [
    ['a new task', '/v1/tasks?projectId=POLL', () => createTask(wl, 'POLL', { title: 'Second' })],
    ['a patch', '/v1/tasks/cards?projectId=POLL', () => wl.patch('/v1/tasks/POLL-1', { priority: 'urgent' })],
    ['a status', '/v1/tasks/counts?projectId=POLL', () => wl.patch('/v1/tasks/POLL-1', { status: 'in_review' })],
    ['a comment', '/v1/tasks/POLL-1/comments', () => wl.post('/v1/tasks/POLL-1/comments', { body: 'Hello' })],
    ['a comment, in its count', '/v1/tasks?projectId=POLL', () => wl.post('/v1/tasks/POLL-1/comments', { body: 'B' })],
    ['a question', '/v1/questions?projectId=POLL', () => wl.post('/v1/tasks/POLL-1/questions', { body: 'Which?' })],
    [
      'a question, in its count',
      '/v1/tasks?projectId=POLL',
      () => wl.post('/v1/tasks/POLL-1/questions', { body: 'Which?' }),
    ],
    ['an item', '/v1/knowledge?prefix=guides/', () => putItem(wl, 'guides/two', 'Two')],
    ['a name of a project', '/v1/projects', () => wl.patch(`/v1/projects/${projectId}`, { name: 'Another' })],
    ['an event', '/v1/events?order=desc&limit=3', () => putItem(wl, 'guides/two', 'Three')],
    ['a found task', '/v1/tasks/search?q=needle', () => createTask(wl, 'POLL', { title: 'Needle' })],
    ['a found task that was patched', '/v1/tasks/search?q=needle', () => patchFound({ priority: 'high' })],
    ['a task that is found no more', '/v1/tasks/search?q=needle', () => patchFound({ title: 'Thread' })],
    [
      'a found comment',
      '/v1/tasks/search?q=haystack',
      () => wl.post('/v1/tasks/POLL-1/comments', { body: 'Haystack' }),
    ],
    ['a found item', '/v1/knowledge/search?q=needle', () => putItem(wl, 'guides/needle', 'A needle')],
    ['a found record', '/v1/search?q=needle', () => putItem(wl, 'guides/needle', 'Two needles')],
    ['a similar task', '/v1/tasks/POLL-1/similar', () => createTask(wl, 'POLL', { title: 'First' })],
    ['a deletion', '/v1/trash', () => wl.delete('/v1/knowledge/guides/two')],
    ['an emptied trash', '/v1/trash', () => wl.delete('/v1/trash')],
  ]
  for (const [what, path, change] of changes) {
    it(`show ${what} at once`, async () => {
      const { poll, known } = await poller(path)
      const before = JSON.stringify(known())
      await change()
      assert.ok(await poll())
      assert.notEqual(JSON.stringify(known()), before)
    })
  }

  it('are searched for once while nothing has changed', async () => {
    const engine = mock.method(wl.service.core.search, 'search')
    try {
      const path = '/v1/tasks/search?q=first'
      const { body } = await wl.get(path)
      await wl.get(path)
      assert.equal(engine.mock.callCount() > 0, true)
      engine.mock.resetCalls()
      const kept = await wl.get(path)
      assert.deepEqual(kept.body, body)
      expectStatus(await wl.get(path, { headers: { 'If-None-Match': etagOf(kept) } }), 304)
      assert.equal(engine.mock.callCount(), 0)
      await wl.get(path, { headers: { 'Cache-Control': 'no-cache' } })
      await wl.get(`${path}&ready=true`)
      await wl.get(`${path}&ready=true`)
      assert.ok(engine.mock.callCount() >= 3)
    } finally {
      engine.mock.restore()
    }
  })

  it('are not sent again where a write elsewhere leaves them the same', async () => {
    for (const path of ['/v1/knowledge?prefix=guides/one', '/v1/knowledge/search?q=one', '/v1/tasks?claimed=true']) {
      const { poll, known } = await poller(path)
      const first = known()
      await putItem(wl, 'unrelated', `Written ${Math.random()}`)
      // The first tag is of the state alone.
      await poll()
      assert.deepEqual(known(), first)
      for (let at = 0; at < 2; at++) {
        await putItem(wl, 'unrelated', `Written ${Math.random()}`)
        assert.equal(await poll(), false, path)
      }
    }
  })

  it('show the name of an assignee as it is now', async () => {
    const user = await createUser(wl, { name: 'Before' })
    await createTask(wl, 'POLL', { assigneeId: user.id })
    const { poll, known } = await poller(`/v1/tasks?assignee=${user.id}`)
    expectStatus(await wl.patch(`/v1/users/${user.id}`, { name: 'After' }), 200)
    assert.ok(await poll())
    assert.equal(known().data[0].assignee.name, 'After')
  })

  it('show a renewed claim, which is no event', async () => {
    await createTask(wl, 'POLL')
    const { data } = (await wl.post('/v1/tasks/next', { projectId: 'POLL' })).body
    const { poll, known } = await poller('/v1/tasks?projectId=POLL&status=in_progress')
    const { expiresAt } = known().data[0].claim
    wl.passTime(1_000)
    const headers = { 'Worklore-Claim': data.claim.token }
    expectStatus(await wl.post(`/v1/tasks/${data.id}/renew`, {}, { headers }), 200)
    assert.ok(await poll())
    assert.notEqual(known().data[0].claim.expiresAt, expiresAt)
  })

  it('follow the end of a claim without a write', async () => {
    await createTask(wl, 'POLL', { labels: ['lease'] })
    expectStatus(await wl.post('/v1/tasks/next', { label: 'lease', leaseSeconds: 10 }), 200)
    const { poll, known } = await poller('/v1/tasks?label=lease&ready=true')
    assert.equal(known().data.length, 0)
    wl.passTime(11_000)
    assert.ok(await poll())
    assert.equal(known().data.length, 1)
    // Else its end is written down a moment later, and changes the lists of another test.
    expectStatus(await wl.post('/v1/tasks/next', { label: 'lease' }), 200)
  })

  it('show that a task becomes ready without a write', async () => {
    const { id, createdAt } = await createTask(wl, 'POLL', { labels: ['later'] })
    const notBefore = new Date(Date.parse(createdAt) + 60_000).toISOString()
    expectStatus(await wl.patch(`/v1/tasks/${id}`, { notBefore }), 200)
    const { poll, known } = await poller('/v1/tasks/cards?label=later')
    assert.equal(known().data[0].ready, false)
    wl.passTime(61_000)
    assert.ok(await poll())
    assert.equal(known().data[0].ready, true)
  })

  it('are each key its own', async () => {
    const other = (await createProject(wl, { key: 'OTHER' })).id
    await createTask(wl, 'OTHER')
    const limited = (await createKey(wl, { scopes: ['tasks:read'], projectIds: [other] })).key
    const all = await poller('/v1/tasks?sort=createdAt')
    const some = await wl.get('/v1/tasks?sort=createdAt', { key: limited })
    assert.deepEqual(
      some.body.data.map(({ id }: { id: string }) => id),
      ['OTHER-1'],
    )
    assert.ok(all.known().data.length > 1)
    const crossed = await wl.get('/v1/tasks?sort=createdAt', {
      key: limited,
      headers: { 'If-None-Match': etagOf(await wl.get('/v1/tasks?sort=createdAt')) },
    })
    expectStatus(crossed, 200)
  })

  it('are refused to a key that was revoked, and to one without the scope', async () => {
    const path = '/v1/tasks?projectId=POLL'
    const { key, id } = await createKey(wl, { scopes: ['tasks:read'] })
    let headers = {}
    // The service may be writing something of its own at first, as of a claim that has expired.
    const status = await until(
      async () => {
        headers = { 'If-None-Match': etagOf(await wl.get(path, { key })) }
        return (await wl.get(path, { key, headers })).status
      },
      (status) => status === 304,
    )
    assert.equal(status, 304)
    expectStatus(await wl.delete(`/v1/keys/${id}`), 200)
    expectError(await wl.get(path, { key, headers }), 'UNAUTHORIZED')
    const wrong = (await createKey(wl, { scopes: ['knowledge:read'] })).key
    expectError(await wl.get(path, { key: wrong, headers: { 'If-None-Match': '*' } }), 'FORBIDDEN')
  })

  it('are checked like any request, whatever tag it has', async () => {
    for (const tag of ['*', '"1"', 'W/"x"', '"'.repeat(300), etagOf(await wl.get('/v1/tasks'))]) {
      const headers = { 'If-None-Match': tag }
      expectInvalid(await wl.get('/v1/tasks?limit=0', { headers }), 'limit')
      expectStatus(await wl.get('/v1/tasks?limit=7', { headers }), tag === '*' ? 304 : 200)
    }
  })

  /** Asks until two answers have the same tag: a write of the service itself may come between them. */
  const askForSame = async (path: string, askAgain: (etag: string) => Promise<Answer>): Promise<[Answer, Answer]> => {
    const ask = async (): Promise<[Answer, Answer]> => {
      const known = await wl.get(path)
      return [known, await askAgain(etagOf(known))]
    }
    const [known, again] = await until(ask, ([first, second]) => first.headers.etag === second.headers.etag)
    assert.equal(again.headers.etag, known.headers.etag)
    return [known, again]
  }

  it('are read anew for a request with Cache-Control: no-cache', async () => {
    const path = '/v1/tasks?projectId=POLL&limit=2'
    const [known, fresh] = await askForSame(path, () => wl.get(path, { headers: { 'Cache-Control': 'no-cache' } }))
    assert.deepEqual([fresh.status, fresh.text], [200, known.text])
  })

  it('answer HEAD with the same tag', async () => {
    const path = '/v1/tasks?projectId=POLL&limit=3'
    await askForSame(path, () => wl.request('HEAD', path))
    const askWith = (etag: string) => wl.request('HEAD', path, { headers: { 'If-None-Match': etag } })
    expectStatus((await askForSame(path, askWith))[1], 304)
  })

  it('change with a plan in nothing', async () => {
    const path = '/v1/tasks?projectId=POLL'
    const { tenant, plan } = (await wl.get('/v1/me')).body.data
    const [, again] = await askForSame(path, async (etag) => {
      await setPlan(wl.service.core.db, tenant.id, plan)
      return wl.get(path, { headers: { 'If-None-Match': etag } })
    })
    expectStatus(again, 304)
  })
})

for (const engine of engines) {
  describe(`a list after a restart with other settings, ${engine.name}`, () => {
    it('is another one if they show in it', async (test) => {
      const store = await engine.createPreparedStore()
      test.after(() => store.remove())
      const readTrash = async (config: Partial<Config>, known?: string) => {
        const node = await startService(engine, { store, config })
        try {
          if (known === undefined) {
            await putItem(node, 'guides/old', 'Old')
            expectStatus(await node.delete('/v1/knowledge/guides/old'), 200)
          }
          const answer = await node.get('/v1/trash', { headers: { 'If-None-Match': known ?? '"none"' } })
          return { status: answer.status, etag: etagOf(answer), time: answer.body?.data[0].purgedAt }
        } finally {
          await node.stop()
        }
      }
      const long = await readTrash({ trashDays: 30 })
      const short = await readTrash({ trashDays: 5 }, long.etag)
      assert.equal(short.status, 200)
      assert.ok(short.time < long.time)
      if (engine.name === 'sqlite') return
      const elsewhere = { host: 'localhost', poolSize: 3, logLevel: 'fatal', bodyLimitBytes: 10_000 }
      assert.equal((await readTrash({ trashDays: 5, ...elsewhere }, short.etag)).status, 304)
    })
  })
}

it('the tags of lists differ with the version of the program and the model of vectors', () => {
  const config = readConfig({})
  assert.equal(editionOf(config, 'm', '1.0.0'), editionOf(config, 'm', '1.0.0'))
  assert.notEqual(editionOf(config, 'm', '1.0.0'), editionOf(config, 'm', '1.0.1'))
  assert.notEqual(editionOf(config, 'm', '1.0.0'), editionOf(config, 'n', '1.0.0'))
})

const nodeCounts = { sqlite: 1, postgres: 3 }
const writers = 4
const polledPaths = [
  '/v1/tasks?projectId=RACE',
  '/v1/tasks/cards?projectId=RACE&limit=500',
  '/v1/tasks/search?q=racing',
]
const pollersOfEach = 2
const writesEach = 25

for (const engine of engines) {
  const count = nodeCounts[engine.name]
  describe(`polling while others write, ${engine.name}, ${count} nodes`, () => {
    const nodes: TestService[] = []
    before(async () => {
      const first = await startService(engine)
      nodes.push(first)
      while (nodes.length < count) nodes.push(await startService(engine, { store: first.store }))
    })
    after(async () => {
      for (const node of nodes.toReversed()) await node.stop()
    })

    it('never answers with less than was acknowledged before the poll', async () => {
      const random = randomFrom(11)
      const node = () => nodes[Math.floor(random() * nodes.length)]!
      await createProject(nodes[0]!, { key: 'RACE' })
      for (let at = 0; at < writers; at++) await createTask(nodes[0]!, 'RACE', { title: '0', description: 'Racing' })
      const acknowledged = new Map<string, number>()
      let isWriting = true
      const write = async (id: string) => {
        for (let at = 1; at <= writesEach; at++) {
          expectStatus(await node().patch(`/v1/tasks/${id}`, { title: String(at) }), 200)
          acknowledged.set(id, at)
        }
      }
      let polls = 0
      const poll = async (path: string) => {
        // Of each node its own, as a client behind a load balancer has the last of any.
        let etag = '"none"'
        let last = new Map<string, number>()
        while (isWriting) {
          const expected = new Map(acknowledged)
          const answer = await node().get(path, { headers: { 'If-None-Match': etag } })
          polls++
          if (answer.status !== 304) {
            expectStatus(answer, 200)
            etag = etagOf(answer)
            last = new Map(answer.body.data.map(({ id, title }: { id: string; title: string }) => [id, Number(title)]))
          }
          for (const [id, title] of expected) {
            assert.ok(last.get(id)! >= title, `${path}: ${id} is at ${last.get(id)}, ${title} was acknowledged`)
          }
        }
      }
      const polled = Promise.all(polledPaths.flatMap((path) => Array.from({ length: pollersOfEach }, () => poll(path))))
      await Promise.all(Array.from({ length: writers }, (_, at) => write(`RACE-${at + 1}`)))
      isWriting = false
      await polled
      assert.ok(polls > 20, String(polls))
      for (const path of polledPaths) {
        const settled = etagOf(await node().get(path))
        for (const each of nodes) {
          expectStatus(await each.get(path, { headers: { 'If-None-Match': settled } }), 304)
        }
      }
    })
  })
}
