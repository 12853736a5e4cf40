import assert from 'node:assert/strict'
import { Agent, request as httpRequest } from 'node:http'
import { it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { createProject } from 'worklore-testing/factories'
import { send, testAdminKey } from 'worklore-testing/harness'
import { startProcess } from 'worklore-testing/real-process'
import { describeService } from 'worklore-testing/service-suite'
import { until } from 'worklore-testing/until'

const agent = new Agent({ keepAlive: true, maxSockets: 6_000, maxFreeSockets: 6_000 })

interface Outcome {
  status: number
  retryAfter: string | undefined
  code: string | undefined
}

const create = (baseUrl: string, projectId: string, onSent = () => {}): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(baseUrl)
    const headers = { authorization: `Bearer ${testAdminKey}`, 'content-type': 'application/json' }
    const outgoing = httpRequest({ hostname, port, agent, method: 'POST', path: '/v1/tasks', headers }, (incoming) => {
      let text = ''
      incoming.setEncoding('utf8')
      incoming.on('data', (chunk) => {
        text += chunk
      })
      incoming.on('end', () => {
        const { code } = JSON.parse(text).error ?? {}
        resolve({ status: incoming.statusCode!, retryAfter: incoming.headers['retry-after'], code })
      })
    })
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      // On a slow machine the service may close a connection that has been idle for long.
      const isClosedIdle = outgoing.reusedSocket && error.code === 'ECONNRESET'
      if (isClosedIdle) resolve(create(baseUrl, projectId))
      else reject(error)
    })
    outgoing.once('finish', onSent)
    outgoing.end(JSON.stringify({ projectId, title: 'x' }))
  })

const many = (count: number, baseUrl: string, projectId: string, onSent?: () => void): Promise<Outcome[]> =>
  Promise.all(Array.from({ length: count }, () => create(baseUrl, projectId, onSent)))

// The wait for a turn has a bound of its own, which a slow machine may meet.
describeService(
  'overload',
  (wl) => {
    it('is not what 600 requests at once are', async () => {
      const { id } = await createProject(wl)
      const outcomes = await many(600, wl.baseUrl, id)
      assert.deepEqual(
        outcomes.filter(({ status }) => status !== 201),
        [],
      )
    })
  },
  { workSlots: { maxWaitMs: 60_000 } },
)

const atOnce = 2_500

it('overload is refused with 503 and Retry-After, and what is taken on is served', async (test) => {
  const store = await engines[0]!.createStore()
  const node = await startProcess(store)
  try {
    await send(node.baseUrl, 'POST', '/v1/projects', { key: testAdminKey, body: { key: 'ACME', name: 'Acme' } })
    // The connections are there already when the requests come, which the service finds all at once when it wakes.
    const first = await many(atOnce, node.baseUrl, 'ACME')
    process.kill(node.pid, 'SIGSTOP')
    let sent = 0
    const asked = many(atOnce, node.baseUrl, 'ACME', () => void sent++)
    await until(
      async () => sent,
      (count) => count === atOnce,
    )
    process.kill(node.pid, 'SIGCONT')
    const outcomes = await asked
    const taken = outcomes.filter(({ status }) => status === 201)
    const shed = outcomes.filter(({ status }) => status === 503)
    test.diagnostic(`${taken.length} served, ${shed.length} shed`)
    assert.equal(taken.length + shed.length, outcomes.length, 'served or shed, nothing else')
    assert.ok(taken.length >= 600, `${taken.length} served`)
    assert.ok(shed.length > 0, 'none was shed')
    for (const { retryAfter, code } of shed) {
      assert.equal(code, 'SERVICE_UNAVAILABLE')
      assert.match(retryAfter ?? '', /^[1-9]\d*$/)
    }
    const served = [...first, ...outcomes].filter(({ status }) => status === 201).length
    const list = await send(node.baseUrl, 'GET', '/v1/tasks?total=exact&limit=1', { key: testAdminKey })
    assert.equal(list.body.pagination.total, served)
  } finally {
    process.kill(node.pid, 'SIGCONT')
    await node.end('SIGKILL')
    await store.remove()
  }
})
