import assert from 'node:assert/strict'
import { before, beforeEach, describe, it } from 'node:test'
import { quietBoundMs } from 'worklore-testing/long-run'
import {
  NetworkError,
  PreconditionFailedError,
  RateLimitError,
  type Retry,
  TimeoutError,
  type Worklore,
  type WorkloreOptions,
} from '../src/index.js'
import { backoffMs } from '../src/retry.js'
import { onEveryEngine } from './on-every-engine.js'

describe('the wait of our own', () => {
  it('doubles with each failure, has jitter and a cap', () => {
    assert.deepEqual(
      [1, 2, 3, 4].map((failures) => backoffMs(failures, 1)),
      [250, 500, 1_000, 2_000],
    )
    assert.deepEqual(
      [1, 2].map((failures) => backoffMs(failures, 0)),
      [125, 250],
    )
    assert.equal(backoffMs(50, 1), 30_000)
  })
})

onEveryEngine('waiting', (stage) => {
  let retries: Retry[]
  let wl: Worklore
  const watched = (options: Partial<WorkloreOptions> = {}): Worklore =>
    stage.clientWith({ onRetry: (retry) => retries.push(retry), ...options })

  before(() => stage.wl.projects.create({ key: 'ACME', name: 'Acme' }))
  beforeEach(() => {
    retries = []
    stage.proxy.requests.length = 0
    // A request that the test before gave up may not have come to take its fault.
    stage.proxy.queue.length = 0
    wl = watched()
  })

  const sent = (): string[] => stage.proxy.requests.map(({ method }) => method)
  const titled = async (title: string): Promise<number> => {
    let count = 0
    for await (const task of stage.wl.tasks.list({ limit: 100 })) if (task.title === title) count++
    return count
  }

  it('waits what the service says on 429 and 503, whatever the method', async () => {
    const task = await stage.wl.tasks.create({ projectId: 'ACME', title: 'patient' })
    stage.proxy.queue.push('rate limited', 'unavailable')
    const startedAtMs = performance.now()
    await wl.tasks.update(task.id, { status: 'done' })
    assert.ok(performance.now() - startedAtMs >= 1_990)
    assert.deepEqual(
      retries.map(({ waitMs }) => waitMs),
      [1_000, 1_000],
    )
    assert.ok(retries[0]!.error instanceof RateLimitError)
    assert.deepEqual(
      retries.map(({ attempts, method, path }) => [attempts, method, path]),
      [1, 2].map((attempts) => [attempts, 'PATCH', `/v1/tasks/${task.id}`]),
    )
  })

  it('gives the error at once where the service asks for a longer wait than maxWaitMs', async () => {
    const refusalOf = async (call: () => Promise<unknown>): Promise<RateLimitError> => {
      const startedAtMs = performance.now()
      const error = await call().catch((error) => error)
      assert.ok(error instanceof RateLimitError, String(error))
      assert.ok(performance.now() - startedAtMs < quietBoundMs(900))
      return error
    }
    stage.proxy.queue.push('rate limited for an hour')
    const refused = await refusalOf(() => wl.tasks.create({ projectId: 'ACME', title: 'too late' }))
    assert.equal(refused.retryAfter, 3_600)
    assert.equal(refused.attempts, 1)
    stage.proxy.queue.push('rate limited')
    assert.equal((await refusalOf(() => wl.me({ maxWaitMs: 999 }))).retryAfter, 1)
    stage.proxy.queue.push('rate limited')
    await refusalOf(() => watched({ maxWaitMs: 999 }).me())
    stage.proxy.queue.push('rate limited for an hour')
    assert.equal((await refusalOf(() => wl.events.stream({ after: 0 }).next())).retryAfter, 3_600)
    assert.deepEqual(retries, [])
    assert.equal(sent().length, 4)
  })

  it('asks before each attempt of a write, and sends nothing where that throws', async () => {
    let asked = 0
    const beforeWrite = async (): Promise<void> => {
      if (++asked === 3) throw new Error('no more')
    }
    const asking = watched({ beforeWrite })
    stage.proxy.queue.push('unavailable, wait unsaid')
    await asking.tasks.create({ projectId: 'ACME', title: 'allowed' })
    await asking.me()
    assert.equal(asked, 2)
    await assert.rejects(asking.tasks.create({ projectId: 'ACME', title: 'refused' }), { message: 'no more' })
    assert.deepEqual(sent(), ['POST', 'POST', 'GET'])
  })

  it('shortens its own waits to maxWaitMs', async () => {
    stage.proxy.queue.push('bad gateway', 'bad gateway', 'bad gateway')
    await wl.me({ maxWaitMs: 10 })
    assert.deepEqual(
      retries.map(({ waitMs }) => waitMs),
      [10, 10, 10],
    )
  })

  it('waits longer each time where the service says nothing', async () => {
    stage.proxy.queue.push('rate limited, wait unsaid', 'unavailable, wait unsaid', 'bad gateway')
    await wl.me()
    const waits = retries.map(({ waitMs }) => waitMs)
    assert.equal(waits.length, 3)
    for (const [index, most] of [250, 500, 1_000].entries()) {
      assert.ok(waits[index]! >= most / 2 && waits[index]! <= most, String(waits))
    }
  })

  it('repeats a create after a lost answer under one idempotency key, and it acts once', async () => {
    for (const fault of ['reset, lost', 'cut, lost', 'bad gateway, lost', 'delivered twice'] as const) {
      stage.proxy.requests.length = 0
      stage.proxy.queue.push(fault)
      const task = await wl.tasks.create({ projectId: 'ACME', title: fault })
      assert.deepEqual(await stage.wl.tasks.get(task.id), task)
      const keys = stage.proxy.requests
        .filter(({ method }) => method === 'POST')
        .map((r) => r.headers['idempotency-key'])
      assert.equal(new Set(keys).size, 1)
      assert.match(String(keys[0]), /^[0-9a-f]{32}$/)
      assert.equal(await titled(fault), 1)
    }
    const keys = new Set<unknown>()
    await wl.tasks.create({ projectId: 'ACME', title: 'same' })
    await wl.tasks.create({ projectId: 'ACME', title: 'same' })
    for (const { method, headers } of stage.proxy.requests) if (method === 'POST') keys.add(headers['idempotency-key'])
    assert.equal(await titled('same'), 2)
    assert.equal(keys.size, 3)
  })

  it('repeats a timed-out attempt, and gives up with a TimeoutError', async () => {
    stage.proxy.queue.push('slow, lost')
    await watched({ timeoutMs: 500 }).tasks.create({ projectId: 'ACME', title: 'slow' })
    assert.equal(await titled('slow'), 1)
    assert.ok(retries[0]!.error instanceof TimeoutError)
    stage.proxy.queue.push('slow, lost', 'slow, lost')
    const error = await wl.me({ timeoutMs: 500, maxRetries: 1 }).catch((error) => error)
    assert.ok(error instanceof TimeoutError)
    assert.equal(error.attempts, 2)
  })

  it('does not repeat a PATCH whose answer was lost', async () => {
    const task = await stage.wl.tasks.create({ projectId: 'ACME', title: 'once' })
    stage.proxy.requests.length = 0
    stage.proxy.queue.push('reset, lost', 'bad gateway, lost')
    await assert.rejects(wl.tasks.update(task.id, { status: 'done' }), NetworkError)
    await assert.rejects(wl.tasks.update(task.id, { status: 'todo' }))
    assert.deepEqual(sent(), ['PATCH', 'PATCH'])
    assert.deepEqual(retries, [])
  })

  it('takes a delete as done where its answer was lost and the record is gone', async () => {
    const task = await stage.wl.tasks.create({ projectId: 'ACME', title: 'going' })
    stage.proxy.queue.push('reset, lost')
    assert.deepEqual(await wl.tasks.delete(task.id), { id: task.id, deleted: true })
  })

  it('knows its own conditional write again where its answer was lost', async () => {
    stage.proxy.queue.push('cut, lost')
    const made = await wl.knowledge.put('own', { content: 'one' }, { ifNoneMatch: '*' })
    assert.equal(made.version, 1)
    stage.proxy.queue.push('reset, lost')
    const changed = await wl.knowledge.put('own', { content: 'two' }, { ifMatch: made })
    assert.equal(changed.version, 2)
    stage.proxy.queue.push('none', 'reset, lost')
    const appended = await wl.knowledge.update('own', ({ content }) => ({ content: `${content}!` }))
    assert.equal(appended.content, 'two!')
    stage.proxy.queue.push('reset')
    await assert.rejects(wl.knowledge.put('own', { content: 'three' }, { ifMatch: made }), PreconditionFailedError)
  })

  it('stops at maxRetries, for a client and for a call', async () => {
    stage.proxy.queue.push('bad gateway', 'bad gateway', 'bad gateway')
    await assert.rejects(watched({ maxRetries: 1 }).me())
    assert.equal(sent().length, 2)
    await assert.rejects(wl.me({ maxRetries: 0 }))
    assert.equal(sent().length, 3)
  })

  it('ends a call at once when its signal aborts, before, during an attempt and during a wait', async () => {
    const reason = new Error('enough')
    await assert.rejects(wl.me({ signal: AbortSignal.abort(reason) }), reason)
    assert.deepEqual(sent(), [])
    for (const fault of ['slow, lost', 'unavailable'] as const) {
      stage.proxy.queue.push(fault)
      const controller = new AbortController()
      setTimeout(() => controller.abort(reason), 100)
      const startedAtMs = performance.now()
      await assert.rejects(wl.tasks.list({}, { signal: controller.signal }).then(), reason)
      assert.ok(performance.now() - startedAtMs < quietBoundMs(800))
    }
  })

  it('does not repeat what the caller did wrong', async () => {
    await assert.rejects(wl.tasks.get('ACME-9999'))
    await assert.rejects(wl.tasks.create({ projectId: 'ACME', title: '' }))
    // A list that the test before gave up may arrive late.
    const own = stage.proxy.requests.filter(({ method, path }) => method === 'POST' || path.endsWith('/ACME-9999'))
    assert.equal(own.length, 2)
  })
})

onEveryEngine(
  'waiting for the real limits',
  (stage) => {
    it('waits out a window, and says which one where it may not wait', async () => {
      const retries: Retry[] = []
      // The window passes while the client waits, and not while the requests are sent.
      const onRetry = (retry: Retry): void => {
        retries.push(retry)
        stage.service.passTime(retry.waitMs)
      }
      const wl = stage.clientWith({ onRetry })
      for (let count = 0; count < 60; count++) await wl.me()
      assert.equal(wl.limits?.remaining, 0)
      const refused = await wl.me({ maxRetries: 0 }).catch((error) => error)
      assert.ok(refused instanceof RateLimitError)
      assert.equal(refused.limit, 'requests per minute')
      assert.ok(refused.retryAfter! > 30 && refused.retryAfter! <= 60)
      stage.service.passTime((refused.retryAfter! - 2) * 1000)
      const startedAtMs = performance.now()
      await wl.me()
      assert.equal(retries.length, 1)
      assert.ok(retries[0]!.waitMs >= 1_000 && retries[0]!.waitMs <= 3_000)
      assert.ok(performance.now() - startedAtMs >= retries[0]!.waitMs - 10)
    })
  },
  { config: { plan: 'free' }, isTimeStill: true },
)
