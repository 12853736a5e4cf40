import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { TestStore } from 'worklore-testing/engines'
import { openStream } from 'worklore-testing/event-stream'
import { expectStatus } from 'worklore-testing/expect'
import { testAdminKey } from 'worklore-testing/harness'
import { generations } from 'worklore-testing/mcp-clients'
import { runCommand } from 'worklore-testing/program'
import { until } from 'worklore-testing/until'
import { type Processes, postgres, sendAnew, startProcesses } from './processes.js'

const count = 3

describe('several processes behind one port', () => {
  let store: TestStore
  let node: Processes
  before(async () => {
    store = await postgres.createPreparedStore()
    node = await startProcesses(store, count)
    expectStatus(await sendAnew(node, 'POST', '/v1/projects', { body: { key: 'ACME', name: 'Acme' } }), 201)
  })
  after(async () => {
    await node?.end('SIGTERM')
    await store?.remove()
  })

  const createTask = async (title: string, projectId = 'ACME') =>
    expectStatus(await sendAnew(node, 'POST', '/v1/tasks', { body: { projectId, title } }), 201).body.data

  it('share the requests, and one reading of the figures has those of all', async () => {
    const requests = 30
    await Promise.all(Array.from({ length: requests }, () => sendAnew(node, 'GET', '/v1/me')))
    const { text } = await sendAnew(node, 'GET', '/metrics', { key: null })
    const counts = [
      ...text.matchAll(
        /^worklore_request_duration_seconds_count\{process="(\d)",method="GET",route="\/v1\/me",status="200"\} (\d+)$/gm,
      ),
    ].map(([, number, requests]) => [Number(number), Number(requests)] as const)
    assert.deepEqual(
      counts.map(([number]) => number).toSorted(),
      Array.from({ length: count }, (_, at) => at + 1),
    )
    assert.equal(
      counts.reduce((sum, [, requests]) => sum + requests, 0),
      requests,
    )
    assert.match(text, /^worklore_ready\{process="2"\} 1$/m)
    assert.equal(text.match(/^# TYPE worklore_ready gauge$/gm)?.length, 1)
  })

  it('read at once what another one wrote', async () => {
    for (let round = 0; round < 10; round++) {
      const { id, version } = await createTask(`round ${round}`)
      const path = `/v1/tasks/${id}`
      expectStatus(await sendAnew(node, 'PATCH', path, { body: { priority: 'high' } }), 200)
      assert.equal((await sendAnew(node, 'GET', path)).body.data.version, version + 1)
      const { data } = (await sendAnew(node, 'GET', '/v1/tasks?sort=-createdAt&limit=1')).body
      assert.equal(data[0].id, id)
      const found = (await sendAnew(node, 'GET', `/v1/tasks/search?q=${encodeURIComponent(`"round ${round}"`)}`)).body
      assert.ok(found.data.some((task: { id: string }) => task.id === id))
    }
  })

  it('let exactly 60 of 200 requests pass together', async () => {
    const { key } = JSON.parse(await runCommand(store, 'tenants', 'create', 'burst', '--plan', 'free'))
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => sendAnew(node, 'GET', '/v1/projects', { key: key.key })),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, 60)
    assert.equal(answers.filter(({ status }) => status === 429).length, 140)
  })

  it('wake streams, long polls and waiting agents of each other', async () => {
    const streams = await Promise.all(
      Array.from({ length: 2 * count }, () =>
        openStream(`${node.baseUrl}/v1/events/stream?types=task.created`, testAdminKey),
      ),
    )
    for (const stream of streams) {
      assert.equal(stream.status, 200)
      await until(
        async () => stream.ready,
        (ready) => ready !== undefined,
      )
    }
    expectStatus(await sendAnew(node, 'POST', '/v1/projects', { body: { key: 'WAIT', name: 'Waiting' } }), 201)
    const body = { projectId: 'WAIT', waitSeconds: 30 }
    const agents = Array.from({ length: count }, () => sendAnew(node, 'POST', '/v1/tasks/next', { body }))
    const polls = Array.from({ length: count }, () =>
      sendAnew(node, 'GET', '/v1/events?after=latest&wait=30&types=task.created'),
    )
    let isOver = false
    const created = new Set<string>()
    // Until all have what they wait for: some of them may begin to wait late.
    const creating = (async () => {
      while (!isOver) {
        const { id } = await createTask('something to do', 'WAIT')
        created.add(id)
        await pause(500)
      }
    })()
    const given = (await Promise.all(agents)).map((answer) => expectStatus(answer, 200).body.data.id)
    assert.equal(new Set(given).size, count)
    for (const poll of await Promise.all(polls)) assert.ok(expectStatus(poll, 200).body.data.length > 0)
    isOver = true
    await creating
    for (const id of given) assert.ok(created.has(id))
    for (const stream of streams) {
      const events = await stream.until(created.size)
      assert.deepEqual(
        events.map(({ data }) => data.data.id),
        [...created],
      )
      stream.close()
    }
  })

  for (const { revision, connect } of generations) {
    it(`take the messages of an MCP ${revision} client, whichever of them they reach`, async (test) => {
      const client = await connect(node, testAdminKey)
      test.after(() => client.close())
      const answers = await Promise.all(
        Array.from({ length: 12 }, () => client.call('list_tasks', { project: 'ACME' })),
      )
      for (const { text, isError } of answers) {
        assert.equal(isError, false, text)
        assert.match(text, /ACME-1/)
      }
      const { text } = await sendAnew(node, 'GET', '/metrics', { key: null })
      const reached = text.match(/^worklore_request_duration_seconds_count\{process="\d",method="POST",route="\/mcp"/gm)
      assert.ok(reached!.length > 1)
    })
  }
})
