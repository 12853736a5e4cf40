import assert from 'node:assert/strict'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { engines, type TestStore } from 'worklore-testing/engines'
import { expectError } from 'worklore-testing/expect'
import { startService, type TestService } from 'worklore-testing/harness'
import { quietBoundMs } from 'worklore-testing/long-run'

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Stands between the service and the server, and can go silent without closing anything. */
const createSilencer = async (target: URL) => {
  let isSilent = false
  const sockets = new Set<Socket>()
  const pass = (from: Socket, to: Socket): void => {
    sockets.add(from)
    from.on('data', (chunk) => isSilent || to.write(chunk))
    from.on('close', () => to.destroy())
    from.on('error', () => to.destroy())
  }
  const server: Server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    pass(client, upstream)
    pass(upstream, client)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(target)
  url.port = String((server.address() as { port: number }).port)
  return {
    url: url.href,
    silence: (silent: boolean) => {
      isSilent = silent
    },
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

describe('PostgreSQL being slow', () => {
  let store: TestStore
  let wl: TestService
  let silencer: Awaited<ReturnType<typeof createSilencer>>

  before(async () => {
    store = await engines[1]!.createPreparedStore()
    silencer = await createSilencer(new URL(store.databaseUrl!))
    wl = await startService(engines[1]!, { store: { ...store, databaseUrl: silencer.url, poolSize: 3 } })
    await wl.post('/v1/projects', { key: 'ACME', name: 'Acme' })
  })
  after(async () => {
    await wl.stop()
    silencer.close()
    await store.remove()
  })

  const create = () => wl.post('/v1/tasks', { projectId: 'ACME', title: 'A task' })

  it('cancels a statement that takes too long', async () => {
    const { db } = wl.service.core
    await assert.rejects(Promise.resolve(db.get('select pg_sleep(60)')), { code: 'SERVICE_UNAVAILABLE' })
    await assert.rejects(
      db.transaction(async (tx) => tx.get('select pg_sleep(60)')),
      { code: 'SERVICE_UNAVAILABLE' },
    )
  })

  it('keeps its new connections when a statement of a transaction was lost with an old one', async () => {
    const { db } = wl.service.core
    let terminated: Promise<unknown> = Promise.resolve()
    const lost = db.transaction(async (tx) => {
      const backend = await tx.get<{ pid: number }>('select pg_backend_pid() as pid')
      const termination = pause(200).then(() => db.get('select pg_terminate_backend(cast(? as int))', [backend!.pid]))
      terminated = termination.catch(() => {})
      await tx.get('select pg_sleep(4)')
    })
    await assert.rejects(lost, { code: 'SERVICE_UNAVAILABLE' })
    await terminated
    // Some of these are under way when the lost statement would be overdue.
    for (let second = 0; second < 9; second++) await db.get('select pg_sleep(1)')
  })

  it('is a 503 when slow work holds every connection, not a hang', async () => {
    const { db } = wl.service.core
    const slow = Array.from({ length: 6 }, () =>
      db.transaction(async (tx) => tx.get('select pg_sleep(4.5)')).catch(() => {}),
    )
    await pause(100)
    const startedAt = performance.now()
    const answers = await Promise.all(Array.from({ length: 20 }, create))
    const tookMs = performance.now() - startedAt
    for (const answer of answers) assert.ok([201, 503].includes(answer.status), answer.text)
    const refused = answers.filter(({ status }) => status === 503)
    assert.ok(refused.length > 0)
    for (const answer of refused) assert.ok(expectError(answer, 'SERVICE_UNAVAILABLE').retryAfter >= 1)
    assert.ok(tookMs < quietBoundMs(12_000), `took ${tookMs} ms`)
    await Promise.all(slow)
    assert.equal((await create()).status, 201)
  })

  it('is a 503 when it goes silent, and over soon after it speaks again', async () => {
    silencer.silence(true)
    const startedAt = performance.now()
    const answers = await Promise.all([create(), wl.get('/v1/tasks'), wl.get('/readyz', { key: null })])
    for (const { status } of answers) assert.equal(status, 503)
    assert.ok(performance.now() - startedAt < quietBoundMs(12_000), 'no request hangs')
    await pause(2_000)
    silencer.silence(false)
    const backAt = performance.now()
    while ((await create()).status !== 201) await pause(50)
    assert.ok(performance.now() - backAt < quietBoundMs(8_000), `took ${performance.now() - backAt} ms`)
  })
})
