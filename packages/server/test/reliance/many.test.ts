import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { engines, type TestStore } from 'worklore-testing/engines'
import { expectStatus } from 'worklore-testing/expect'
import { createProject, putItem } from 'worklore-testing/factories'
import { type Answer, send, startService, type TestService, testAdminKey } from 'worklore-testing/harness'
import { inLongRun } from 'worklore-testing/long-run'
import { randomFrom } from 'worklore-testing/random'
import { type RealProcess, startProcess } from 'worklore-testing/real-process'
import { describeService } from 'worklore-testing/service-suite'
import { until } from 'worklore-testing/until'
import { createReliance } from './reliance.js'

type Send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>

interface Worker {
  id: string
  claim: string
}

const perBatch = 100

/** Tasks that are claimed. */
const createWorkers = async (ask: Send, projectId: string, count: number): Promise<Worker[]> => {
  const workers: Worker[] = []
  while (workers.length < count) {
    const some = Math.min(perBatch, count - workers.length)
    const batch = async (operations: object[]) =>
      expectStatus(await ask('POST', '/v1/batch', { operations }), 200).body.data.map(
        ({ body }: { body: { data: { id: string; claim: { token: string } } } }) => body.data,
      )
    const created = await batch(
      Array.from({ length: some }, () => ({ method: 'POST', path: '/v1/tasks', body: { projectId, title: 'Work' } })),
    )
    const claimed = await batch(
      created.map(({ id }: Worker) => ({ method: 'POST', path: `/v1/tasks/${id}/claim`, body: {} })),
    )
    workers.push(
      ...claimed.map((task: { id: string; claim: { token: string } }) => ({ id: task.id, claim: task.claim.token })),
    )
  }
  return workers
}

const readAll = async (ask: Send, reads: readonly (readonly [Worker, string])[]): Promise<void> => {
  for (let at = 0; at < reads.length; at += 20) {
    await Promise.all(
      reads
        .slice(at, at + 20)
        .map(async ([{ claim }, key]) =>
          expectStatus(await ask('GET', `/v1/knowledge/${key}`, undefined, { 'worklore-claim': claim }), 200),
        ),
    )
  }
}

const senderOf =
  (baseUrl: string): Send =>
  (method, path, body, headers = {}) =>
    send(baseUrl, method, path, { key: testAdminKey, headers, ...(body !== undefined && { body }) })

/** How many tasks are stale, of all that a query selects. */
const countStale = async (ask: Send): Promise<number> =>
  expectStatus(await ask('GET', '/v1/tasks/counts?stale=true'), 200).body.data.total

describeService('many retractions', (wl) => {
  it('mark every dependent, and nothing else', async () => {
    const { settle, flush } = createReliance(wl)
    const ask = senderOf(wl.baseUrl)
    await createProject(wl, { key: 'BIG' })
    const [taskCount, noteCount, retractions] = [inLongRun(60, 2_000), inLongRun(200, 2_000), inLongRun(20, 100)]
    const keys = Array.from({ length: noteCount }, (_, at) => `big/${at}`)
    for (let at = 0; at < noteCount; at += perBatch) {
      const operations = keys
        .slice(at, at + perBatch)
        .map((key) => ({ method: 'PUT', path: `/v1/knowledge/${key}`, body: { content: key, projectId: null } }))
      expectStatus(await ask('POST', '/v1/batch', { operations }), 200)
    }
    const workers = await createWorkers(ask, 'BIG', taskCount)
    const random = randomFrom(7)
    const reads = workers.flatMap((worker) =>
      Array.from({ length: 20 }, () => [worker, keys[Math.floor(random() * noteCount)]!] as const),
    )
    await readAll(ask, reads)
    await flush()
    const retracted = new Set(keys.slice(0, retractions))
    await Promise.all(
      [...retracted].map(async (key) =>
        expectStatus(await ask('POST', '/v1/knowledge/retract', { key, reason: 'wrong' }), 200),
      ),
    )
    await settle()
    const expected = new Map<string, Set<string>>()
    for (const [{ id }, key] of reads) {
      if (retracted.has(key)) expected.set(id, (expected.get(id) ?? new Set()).add(key))
    }
    assert.ok(expected.size > 10)
    assert.equal(await countStale(ask), expected.size)
    for (const { id } of workers) {
      const { stale } = (await ask('GET', `/v1/tasks/${id}`)).body.data
      const marked = stale.map(({ key }: { key: string }) => key).toSorted()
      assert.deepEqual(marked, [...(expected.get(id) ?? [])].toSorted())
    }
    for (const key of retracted) expectStatus(await ask('POST', '/v1/knowledge/retract', { key, reason: null }), 200)
    await settle()
    assert.equal(await countStale(ask), 0)
  })
})

for (const engine of engines) {
  describe(`a kill between a retraction and its marks on ${engine.name}`, () => {
    let store: TestStore
    let node: RealProcess
    before(async () => {
      store = await engine.createStore()
      node = await startProcess(store)
    })
    after(async () => {
      await node.end('SIGKILL')
      await store.remove()
    })

    it('delays them until the next start', async () => {
      const count = inLongRun(450, 5_000)
      const first = senderOf(node.baseUrl)
      expectStatus(await first('POST', '/v1/projects', { key: 'KIL', name: 'Killed' }), 201)
      expectStatus(await first('PUT', '/v1/knowledge/kil/a', { content: 'text' }), 201)
      const workers = await createWorkers(first, 'KIL', count)
      await readAll(
        first,
        workers.map((worker) => [worker, 'kil/a'] as const),
      )
      const relied = async () =>
        (await first('GET', `/v1/tasks/${workers.at(-1)!.id}/basis`)).body.data.length as number
      assert.equal(await until(relied, (length) => length === 1), 1)
      expectStatus(await first('POST', '/v1/knowledge/retract', { key: 'kil/a', reason: 'wrong' }), 200)
      await node.end('SIGKILL')
      node = await startProcess(store)
      const again = senderOf(node.baseUrl)
      assert.equal(
        await until(
          () => countStale(again),
          (stale) => stale >= count,
        ),
        count,
      )
      const events = await again('GET', '/v1/events?types=task.stale&limit=500')
      assert.ok(events.body.data.length >= Math.min(count, 450))
    })
  })
}

describe('two nodes that mark', () => {
  let one: TestService
  let two: TestService
  before(async () => {
    const engine = engines.find(({ name }) => name === 'postgres')!
    one = await startService(engine)
    two = await startService(engine, { store: one.store })
  })
  after(async () => {
    await two?.stop()
    await one?.stop()
  })

  it('do so once for each dependent', async () => {
    const [here, there] = [createReliance(one), createReliance(two)]
    await createProject(one, { key: 'TWO' })
    await putItem(one, 'two/a', 'text')
    const workers = await createWorkers(senderOf(one.baseUrl), 'TWO', 250)
    await readAll(
      senderOf(two.baseUrl),
      workers.map((worker) => [worker, 'two/a'] as const),
    )
    await there.flush()
    await here.retract('two/a')
    await Promise.all([here.settle(), there.settle()])
    assert.equal(
      await until(
        () => countStale(senderOf(two.baseUrl)),
        (count) => count === 250,
      ),
      250,
    )
    const events = await here.get('/v1/events?types=task.stale&limit=500')
    assert.equal(events.length, 250)
    assert.equal(new Set(events.map(({ data }: { data: { id: string } }) => data.id)).size, 250)
  })

  it('go on with what another was stopped at', async () => {
    await createProject(one, { key: 'STO' })
    await putItem(one, 'sto/a', 'text')
    const { reliant, retract } = createReliance(one)
    const { id } = await reliant('STO', 'sto/a')
    await one.service.dueWork.stop()
    await retract('sto/a')
    await createReliance(two).expectMarks(id, ['sto/a v1 retracted'])
  })
})
