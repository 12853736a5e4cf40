import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { engines, type TestStore } from 'worklore-testing/engines'
import { expectError, expectStatus } from 'worklore-testing/expect'
import { type Answer, type RequestOptions, send, testAdminKey } from 'worklore-testing/harness'
import { environmentOf, runCommand, runProgram } from 'worklore-testing/program'
import { type RealProcess, startProcess } from 'worklore-testing/real-process'
import { startReceiver } from 'worklore-testing/receiver'
import { until } from 'worklore-testing/until'
import { migrate } from '../../src/db/migrate.js'
import { sqlitePath } from '../../src/db/open.js'
import { openSqlite } from '../../src/db/sqlite/database.js'
import { largestGap, sequenceGap } from '../../src/subscribers/events/maintenance.js'
import { wrongFiles } from './wrong-files.js'

const sqlite = engines[0]!

const requestTo =
  ({ baseUrl }: RealProcess) =>
  (method: string, path: string, body?: unknown, options: RequestOptions = {}) =>
    send(baseUrl, method, path, { key: testAdminKey, ...(body !== undefined && { body }), ...options })

type Request = ReturnType<typeof requestTo>

const createTask = async (request: Request, title: string): Promise<string> =>
  expectStatus(await request('POST', '/v1/tasks', { projectId: 'ACME', title }), 201).body.data.id

const newestSequence = async (request: Request): Promise<number> =>
  expectStatus(await request('GET', '/v1/events?after=latest'), 200).body.pagination.nextAfter

/** Expects the first sequence of a log that was restarted above another one. */
const expectRestarted = (oldest: number, highest: number): void => {
  const gap = oldest - 1 - highest
  assert.ok(gap >= sequenceGap && gap < largestGap, `a gap of ${gap}`)
}

const filesOf = ({ dataDir }: TestStore): string[] => readdirSync(dataDir).sort()

const movedTo = (dataDir: string, folder: string): string => {
  const moved = join(folder, 'moved')
  cpSync(dataDir, moved, { recursive: true })
  return moved
}

const keptStores = (store: TestStore): string[] =>
  filesOf(store).filter((name) => /^worklore-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ(-\d+)?\.db$/.test(name))

describe('restoring the embedded store while it serves', () => {
  let store: TestStore
  let folder: string
  let service: RealProcess
  let request: Request

  before(async () => {
    store = await sqlite.createStore()
    folder = mkdtempSync(join(tmpdir(), 'worklore-test-'))
    service = await startProcess(store, { WORKLORE_WEBHOOK_ALLOW: '127.0.0.0/8' })
    request = requestTo(service)
    expectStatus(await request('POST', '/v1/projects', { key: 'ACME', name: 'Acme' }), 201)
    expectStatus(await request('PATCH', '/v1/projects/ACME', { paused: { reason: 'Kept' } }), 200)
  })
  after(async () => {
    await service.end('SIGKILL')
    await store.remove()
    rmSync(folder, { recursive: true })
  })

  const restore = (file: string) => runProgram(['restore', file, '--yes'], environmentOf(store))

  it('refuses every file that is not a whole store, and leaves the service unharmed', async () => {
    const id = await createTask(request, 'stays')
    const good = join(folder, 'good.db')
    await runCommand(store, 'backup', good)
    const sequence = await newestSequence(request)
    const files = filesOf(store)
    for (const { name, path, problem } of wrongFiles(good, folder)) {
      const { code, stdout, stderr } = await restore(path)
      assert.equal(code, 1, name)
      assert.equal(stdout, '', name)
      assert.match(stderr, problem, name)
      assert.match(stderr, /Nothing was changed/, name)
      assert.doesNotMatch(stderr, /\n\s+at /, name)
      assert.deepEqual(filesOf(store), files, name)
    }
    assert.equal(expectStatus(await request('GET', `/v1/tasks/${id}`), 200).body.data.title, 'stays')
    assert.equal(await newestSequence(request), sequence)
    assert.ok(expectStatus(await request('GET', '/v1/events'), 200).body.data.length > 0)
    await createTask(request, 'after the refusals')
  })

  it('brings the records back, starts the log anew and keeps what was replaced', async () => {
    const receiver = await startReceiver()
    const hook = expectStatus(await request('POST', '/v1/webhooks', { url: receiver.url, events: ['task.*'] }), 201)
      .body.data
    const kept = await createTask(request, 'zebra crossing')
    await receiver.until(1)
    const file = join(folder, 'before.db')
    await runCommand(store, 'backup', file)
    const late = await createTask(request, 'zebra herd')
    const key = expectStatus(await request('POST', '/v1/keys', { name: 'late', scopes: ['tasks:read'] }), 201).body.data
    expectStatus(await request('GET', '/v1/me', undefined, { key: key.key }), 200)
    await receiver.until(2)
    await request('GET', '/v1/tasks/search?q=zebra')
    const sequence = await newestSequence(request)

    const { code, stdout, stderr } = await restore(file)
    assert.equal(code, 0, stderr)
    expectError(await request('GET', '/v1/me', undefined, { key: key.key }), 'UNAUTHORIZED')
    expectError(await request('GET', `/v1/tasks/${late}`), 'NOT_FOUND')
    expectStatus(await request('GET', `/v1/tasks/${kept}`), 200)
    assert.equal((await request('GET', '/v1/projects/ACME')).body.data.paused.reason, 'Kept')
    const { oldest } = expectError(await request('GET', `/v1/events?after=${sequence}`), 'GONE')
    expectRestarted(oldest, sequence)
    expectError(await request('GET', '/v1/events?after=0'), 'GONE')
    expectError(await request('GET', '/v1/events/stream', undefined, { headers: { 'last-event-id': '1' } }), 'GONE')
    assert.deepEqual(expectStatus(await request('GET', '/v1/events'), 200).body.data, [])
    const found = expectStatus(await request('GET', '/v1/tasks/search?q=zebra'), 200).body.data
    assert.deepEqual(
      found.map(({ id }: { id: string }) => id),
      [kept],
    )

    const fresh = await createTask(request, 'zebra stripes')
    const [event] = expectStatus(await request('GET', '/v1/events'), 200).body.data
    assert.deepEqual([event.sequence, event.data.id], [oldest, fresh])
    const received = await receiver.until((all) =>
      all.some((one) => one.event.data.id === fresh && one.event.sequence === event.sequence),
    )
    assert.equal(received.length, 3, 'nothing is sent twice')
    assert.equal((await request('GET', `/v1/webhooks/${hook.id}`)).body.data.active, true)
    await receiver.close()

    const [keptName] = keptStores(store)
    const keptPath = join(store.dataDir, keptName!)
    assert.ok(stdout.includes(`npx worklore restore ${keptPath} --yes`), stdout)
    assert.equal(statSync(keptPath).mode & 0o777, 0o600)
    assert.equal((await restore(keptPath)).code, 0)
    assert.equal(expectStatus(await request('GET', `/v1/tasks/${late}`), 200).body.data.title, 'zebra herd')
    expectStatus(await request('GET', '/v1/me', undefined, { key: key.key }), 200)
    assert.ok((await newestSequence(request)) > sequence + 2 * sequenceGap)
    assert.equal(keptStores(store).length, 2)
  })

  it('loses no answered write: each is in the store or in the one that is kept', async () => {
    const file = join(folder, 'under-load.db')
    await runCommand(store, 'backup', file)
    const before = keptStores(store)
    const answered: string[] = []
    let isOver = false
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let count = 0; !isOver; count++) {
        const title = `writer ${writer} task ${count}`
        const { status } = await request('POST', '/v1/tasks', { projectId: 'ACME', title })
        if (status === 201) answered.push(title)
        else assert.equal(status, 503)
      }
    })
    const { code, stderr } = await restore(file)
    await until(
      async () => answered.length,
      (count) => count > 50,
    )
    isOver = true
    await Promise.all(writers)
    assert.equal(code, 0, stderr)
    const [keptName] = keptStores(store).filter((name) => !before.includes(name))
    const titles = new Set<string>()
    for (const path of [sqlitePath(store), join(store.dataDir, keptName!)]) {
      const db = openSqlite(path)
      for (const { doc } of await db.all<{ doc: string }>('select doc from tasks')) {
        titles.add(/"title":"([^"]*)"/.exec(doc)![1]!)
      }
      await db.close()
    }
    assert.deepEqual(
      answered.filter((title) => !titles.has(title)),
      [],
    )
  })
})

describe('restoring the embedded store while nothing serves it', () => {
  let store: TestStore
  let folder: string
  let backup: string
  before(async () => {
    store = await sqlite.createStore()
    folder = mkdtempSync(join(tmpdir(), 'worklore-test-'))
    backup = join(folder, 'backup.db')
    const service = await startProcess(store)
    const request = requestTo(service)
    expectStatus(await request('POST', '/v1/projects', { key: 'ACME', name: 'Acme' }), 201)
    await createTask(request, 'kept')
    await runCommand(store, 'backup', backup)
    await createTask(request, 'lost')
    // As a crash leaves it, with all of it in the log.
    await service.end('SIGKILL')
  })
  after(async () => {
    await store.remove()
    rmSync(folder, { recursive: true })
  })

  const titles = async (): Promise<string[]> => {
    const service = await startProcess(store)
    const { body } = expectStatus(await requestTo(service)('GET', '/v1/tasks'), 200)
    await service.end('SIGTERM')
    return body.data.map(({ title }: { title: string }) => title).sort()
  }

  it('replaces the file and keeps the old one whole', async () => {
    await runCommand(store, 'restore', backup, '--yes')
    assert.deepEqual(await titles(), ['kept'])
    const kept = keptStores(store)
    assert.equal(kept.length, 1)
    await runCommand(store, 'restore', join(store.dataDir, kept[0]!), '--yes')
    assert.deepEqual(await titles(), ['kept', 'lost'])
    const db = openSqlite(sqlitePath(store))
    const tenant = await db.get<{ last_sequence: number }>('select last_sequence from tenants')
    await db.close()
    assert.ok(tenant!.last_sequence > 2 * sequenceGap)
    for (const name of filesOf(store)) assert.equal(statSync(join(store.dataDir, name)).mode & 0o077, 0, name)
  })

  it('replaces a store that is damaged', async () => {
    const bytes = readFileSync(sqlitePath(store)).fill(0x5a, 0, 20_000)
    assert.ok(bytes.length > 100_000, 'a stopped service leaves its store in one file')
    writeFileSync(sqlitePath(store), bytes)
    await runCommand(store, 'restore', backup, '--yes')
    assert.deepEqual(await titles(), ['kept'])
    const kept = keptStores(store).map((name) => readFileSync(join(store.dataDir, name)))
    assert.ok(kept.some((content) => content.equals(bytes)))
  })

  it('replaces a store without a tenant, but not while it is in use', async () => {
    const other = await sqlite.createStore()
    const old = openSqlite(sqlitePath(other), { isOnlyWriter: true })
    await migrate(old)
    const refused = await runProgram(['restore', backup, '--yes'], environmentOf(other))
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /in use.*Nothing was changed. Stop the service/)
    assert.deepEqual(keptStores(other), [])
    await old.close()
    // Only the end of the process closes what the driver keeps open.
    await runCommand({ ...other, dataDir: movedTo(other.dataDir, folder) }, 'restore', backup, '--yes')
    await other.remove()
  })

  it('makes a store where there is none', async () => {
    const other = await sqlite.createStore()
    await runCommand(other, 'restore', backup)
    assert.deepEqual(
      filesOf(other).filter((name) => !name.startsWith('serving.lock')),
      ['worklore.db'],
    )
    await other.remove()
  })

  it('refuses to back up what is no store', async () => {
    const other = await sqlite.createStore()
    writeFileSync(sqlitePath(other), 'no database '.repeat(1_000))
    const { code, stderr } = await runProgram(['backup', join(folder, 'no.db')], environmentOf(other))
    assert.equal(code, 1)
    assert.match(stderr, /not a database/)
    assert.ok(!existsSync(join(folder, 'no.db')))
    await other.remove()
  })
})

for (const engine of engines) {
  describe(`after-restore on ${engine.name}`, () => {
    it('starts the log anew above its highest sequence', async () => {
      const store = await engine.createPreparedStore()
      const first = await startProcess(store)
      expectStatus(await requestTo(first)('POST', '/v1/projects', { key: 'ACME', name: 'Acme' }), 201)
      const claimed = await createTask(requestTo(first), 'claimed')
      const claim = expectStatus(await requestTo(first)('POST', `/v1/tasks/${claimed}/claim`, {}), 200).body.data.claim
      const sequence = await newestSequence(requestTo(first))
      await first.end('SIGTERM')
      const unsure = await runProgram(['after-restore'], environmentOf(store))
      assert.equal(unsure.code, 1)
      assert.match(unsure.stderr, /--yes/)
      await runCommand(store, 'after-restore', '--yes')
      const second = await startProcess(store)
      const request = requestTo(second)
      const { oldest } = expectError(await request('GET', `/v1/events?after=${sequence}`), 'GONE')
      // The end of the claim was the last event of the log that is gone.
      expectRestarted(oldest, sequence + 1)
      assert.deepEqual(expectStatus(await request('GET', '/v1/events'), 200).body.data, [])
      const fresh = await createTask(request, 'new')
      const [event] = expectStatus(await request('GET', '/v1/events'), 200).body.data
      assert.equal(event.sequence, oldest)

      const task = expectStatus(await request('GET', `/v1/tasks/${claimed}`), 200).body.data
      assert.deepEqual([task.status, task.claim], ['todo', null])
      const held = { headers: { 'worklore-claim': claim.token } }
      expectError(await request('POST', `/v1/tasks/${claimed}/renew`, {}, held), 'PRECONDITION_FAILED')
      const numbers: number[] = []
      for (const id of [claimed, fresh]) {
        const { token } = expectStatus(await request('POST', `/v1/tasks/${id}/claim`, {}), 200).body.data.claim
        numbers.push(Number(token.split('.')[1]))
      }
      const [ofClaimed, ofFresh] = numbers
      assert.ok(ofFresh! > 1_000, `${ofFresh}`)
      assert.equal(ofClaimed, ofFresh! + 1)
      await second.end('SIGTERM')
      await store.remove()
    })

    it('lets nobody take one restore of a backup for another', async (test) => {
      const backup = await engine.createPreparedStore()
      test.after(() => backup.remove())
      const service = await startProcess(backup)
      expectStatus(await requestTo(service)('POST', '/v1/projects', { key: 'ACME', name: 'Acme' }), 201)
      await service.end('SIGTERM')

      const restored = async (title: string) => {
        const store = await engine.copyStore(backup)
        test.after(() => store.remove())
        await runCommand(store, 'after-restore', '--yes')
        const service = await startProcess(store)
        test.after(() => service.end('SIGKILL'))
        const request = requestTo(service)
        await createTask(request, title)
        const { etag } = expectStatus(await request('GET', '/v1/tasks'), 200).headers
        return { request, sequence: await newestSequence(request), etag: etag! }
      }
      const [one, two] = [await restored('one'), await restored('two')]
      // The sequences of one of them are higher, those of the other lower.
      for (const [here, there] of [
        [one, two],
        [two, one],
      ] as const) {
        const isKnown = { headers: { 'if-none-match': there.etag } }
        expectStatus(await here.request('GET', '/v1/tasks', undefined, isKnown), 200)
        const position = { headers: { 'last-event-id': String(there.sequence) } }
        const expectGone = (answer: Answer) => assert.equal(expectError(answer, 'GONE').oldest, here.sequence)
        expectGone(await here.request('GET', `/v1/events?after=${there.sequence}`))
        expectGone(await here.request('GET', `/v1/events?after=${there.sequence}&wait=1`))
        expectGone(await here.request('GET', '/v1/events/stream', undefined, position))
        const { body } = expectStatus(await here.request('GET', `/v1/events?after=${here.sequence - 1}`), 200)
        assert.deepEqual(
          body.data.map(({ sequence }: { sequence: number }) => sequence),
          [here.sequence],
        )
      }
    })
  })
}
