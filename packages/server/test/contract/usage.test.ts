import assert from 'node:assert/strict'
import { it } from 'node:test'
import { expectError, expectInvalid, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask, putItem } from 'worklore-testing/factories'
import { rowsOf } from 'worklore-testing/harness'
import { addTenant } from 'worklore-testing/operator'
import { describeService } from 'worklore-testing/service-suite'
import { until } from 'worklore-testing/until'
import { deleteAgedRows } from '../../src/db/aged-rows.js'
import { agedCounts, keptMs } from '../../src/limits/usage/usage.js'
import { agedClaims } from '../../src/work/tasks/claims/maintenance.js'
import { request } from '../mcp/messages.js'

const hourMs = 3_600_000
const scopes = ['tasks:write', 'knowledge:write']

interface Claims {
  ended: number
  finished: number
  released: number
  expired: number
  medianSeconds: number | null
}

interface Row {
  keyId: string | null
  projectId: string | null
  at: string | null
  requests: number
  writes: number
  changes: number
  recentChanges: number[]
  refused: Record<string, number>
  firstAt: string | null
  claims: Claims
  waitsUntil: string | null
  workers: {
    worker: string | null
    waitsUntil: string | null
    firstAt: string | null
    lastSeenAt: string | null
    claims: Claims
  }[]
}

describeService(
  'usage',
  (wl) => {
    const usage = async (query = ''): Promise<Row[]> =>
      expectStatus(await wl.get(`/v1/usage?${query}`), 200).body.data.rows
    const ofKey = async (keyId: string): Promise<Row> => {
      const [row, ...more] = await usage(`keyId=${keyId}`)
      assert.deepEqual(more, [])
      return row!
    }
    /** Once so many requests of the key are counted, which they are after their answers. */
    const ofKeyWith = (requests: number, keyId: string): Promise<Row> =>
      until(
        () => ofKey(keyId),
        (row) => row.requests >= requests,
      )
    const claim = async (taskId: string, key: string, body = {}) =>
      expectStatus(await wl.post(`/v1/tasks/${taskId}/claim`, body, { key }), 200).body.data.claim.token as string
    const release = async (token: string, key: string, body = {}) =>
      expectStatus(
        await wl.post(`/v1/tasks/${token.split('.')[0]}/release`, body, { key, headers: { 'worklore-claim': token } }),
        200,
      )

    it('counts the requests of a key, its writes and its refusals by status, on every interface', async () => {
      const project = await createProject(wl)
      const task = await createTask(wl, project.id)
      const { id, key } = await createKey(wl)
      for (let sent = 0; sent < 3; sent++) expectStatus(await wl.get(`/v1/tasks/${task.id}`, { key }), 200)
      expectStatus(await wl.patch(`/v1/tasks/${task.id}`, { title: 'Changed' }, { key }), 200)
      expectError(await wl.get('/v1/keys', { key }), 'FORBIDDEN')
      expectError(await wl.get('/v1/tasks?nonsense=1', { key }), 'VALIDATION_ERROR')
      expectError(await wl.get(`/v1/tasks/${project.key}-99`, { key }), 'NOT_FOUND')
      expectError(await wl.get('/v1/nowhere', { key }), 'NOT_FOUND')
      const headers = { 'if-match': '"1"' }
      expectError(await wl.patch(`/v1/tasks/${task.id}`, { title: 'x' }, { key, headers }), 'PRECONDITION_FAILED')
      const called = await request(
        wl,
        'tools/call',
        { name: 'get_task', arguments: { id: `${project.key}-98` } },
        { key },
      )
      assert.equal(expectStatus(called, 200).body.result.isError, true)

      const row = await ofKeyWith(10, id)
      assert.deepEqual([row.requests, row.writes], [10, 1])
      assert.deepEqual(row.refused, { 400: 1, 403: 1, 404: 3, 412: 1 })
      const byProject = await usage(`keyId=${id}&by=project`)
      const inProject = byProject.find(({ projectId }) => projectId === project.id)!
      assert.deepEqual([inProject.requests, inProject.writes, inProject.refused], [5, 1, { 412: 1 }])
      assert.equal(byProject.find(({ projectId }) => projectId === null)!.requests, 5)
      assert.equal((await usage(`keyId=${id}&projectId=${project.key}`))[0]!.requests, 5)

      await wl.delete(`/v1/keys/${id}`)
      expectError(await wl.get('/v1/me', { key }), 'UNAUTHORIZED')
      assert.equal((await ofKeyWith(11, id)).refused[401], 1)
    })

    it('counts every request that is over a limit', async () => {
      const admin = { key: await addTenant(wl, 'free') }
      const { id, key } = await createKey(wl, { name: 'runaway' }, admin)
      let refused = 0
      for (let sent = 0; sent < 221; sent++) if ((await wl.get('/v1/projects', { key })).status === 429) refused += 1
      assert.ok(refused >= 161, String(refused))
      wl.passTime(61_000)
      const ofRunaway = async (): Promise<Row> => {
        const rows: Row[] = expectStatus(await wl.get('/v1/usage', admin), 200).body.data.rows
        return rows.find(({ keyId }) => keyId === id)!
      }
      const row = await until(ofRunaway, ({ requests }) => requests >= 221)
      assert.deepEqual([row.requests, row.refused], [221, { 429: refused }])
      assert.ok(!(await usage()).some(({ keyId }) => keyId === id), 'of its own tenant alone')
    })

    it('tells how claims ended, by key and by worker, and who waits', async () => {
      const project = await createProject(wl)
      const { id, key } = await createKey(wl, { scopes })
      const tasks: string[] = []
      for (let made = 0; made < 7; made++) tasks.push((await createTask(wl, project.id)).id)
      for (const [at, seconds] of [10, 20, 60].entries()) {
        const token = await claim(tasks[at]!, key, { worker: 'one' })
        wl.passTime(seconds * 1_000)
        await release(token, key, { status: at === 0 ? 'in_review' : 'done' })
      }
      await release(await claim(tasks[3]!, key, { worker: 'two' }), key)
      const asking = await claim(tasks[4]!, key, { worker: 'two' })
      expectStatus(
        await wl.post(
          `/v1/tasks/${tasks[4]}/questions`,
          { body: 'Which?' },
          { key, headers: { 'worklore-claim': asking } },
        ),
        201,
      )
      // What an overseer takes from an agent is no failure of the agent.
      await claim(tasks[6]!, key, { worker: 'two' })
      expectStatus(await wl.patch(`/v1/tasks/${tasks[6]}`, { status: 'todo' }), 200)
      const late = await claim(tasks[5]!, key, { leaseSeconds: 10 })
      wl.passTime(11_000)
      await wl.patch(`/v1/tasks/${tasks[5]}`, { title: 'touched' })
      const { workers, claims: before } = await ofKey(id)
      const { medianSeconds, ...counts } = before
      assert.deepEqual(counts, { ended: 7, finished: 3, released: 1, expired: 1 })
      assert.equal(Math.floor(medianSeconds!), 20)
      const named = (worker: string | null) => workers.find((each) => each.worker === worker)
      assert.deepEqual([named('one')!.claims.ended, named('one')!.claims.finished], [3, 3])
      assert.deepEqual([named('two')!.claims.ended, named('two')!.claims.released], [3, 1])
      assert.equal(named(null)!.claims.expired, 1)

      // Whoever hands in late did finish it.
      await release(late, key, { status: 'done' })
      const { claims } = await ofKey(id)
      assert.deepEqual([claims.ended, claims.finished, claims.expired], [7, 4, 0])
      assert.equal((await usage(`by=project&projectId=${project.id}`))[0]!.claims.finished, 4)
    })

    it('counts the changes that requests made, by the minute too, however many others made since', async () => {
      const project = await createProject(wl)
      const { id, key } = await createKey(wl, { scopes: ['admin'] })
      const other = await createKey(wl, { scopes })
      const create = (count: number, by: string) =>
        wl.post(
          '/v1/batch',
          {
            operations: Array.from({ length: count }, () => ({
              method: 'POST',
              path: '/v1/tasks',
              body: { projectId: project.id, title: 'One of many' },
            })),
          },
          { key: by },
        )
      expectStatus(await create(3, key), 200)
      await ofKeyWith(1, id)
      wl.passTime(2 * 60_000)
      const task = await createTask(wl, project.id, {}, { key })
      expectStatus(await wl.delete(`/v1/tasks/${task.id}`, { key }), 200)
      // Neither what changes nothing nor what is refused, rolled back or done by the service.
      expectStatus(await wl.get(`/v1/tasks?projectId=${project.id}`, { key }), 200)
      expectStatus(await wl.patch(`/v1/tasks/${project.key}-1`, { title: 'One of many' }, { key }), 200)
      expectError(await wl.patch(`/v1/tasks/${project.key}-99`, { title: 'x' }, { key }), 'NOT_FOUND')
      expectStatus(await wl.post('/v1/undo', { keyId: id }, { key }), 200)
      for (let sent = 0; sent < 3; sent++) expectStatus(await create(100, other.key), 200)
      await ofKeyWith(3, other.id)
      const row = await ofKeyWith(7, id)
      assert.equal(row.changes, 5)
      assert.deepEqual(row.recentChanges, [...new Array(27).fill(0), 3, 0, 2])
      assert.deepEqual([(await ofKey(other.id)).changes, (await ofKey(other.id)).recentChanges.at(-1)], [300, 300])
      assert.equal((await usage(`by=project&projectId=${project.id}`))[0]!.changes, 305)
      wl.passTime(hourMs)
      const later = await ofKey(id)
      assert.deepEqual([later.changes, later.recentChanges], [5, new Array(30).fill(0)])
    })

    it('credits what is finished to whoever finished it, and tells since when a worker works and when it was seen', async () => {
      const project = await createProject(wl)
      const { id, key } = await createKey(wl, { scopes })
      const overseer = await createKey(wl, { scopes: ['admin'] })
      const tasks: string[] = []
      for (let made = 0; made < 3; made++) tasks.push((await createTask(wl, project.id)).id)
      const nowMs = () => wl.service.core.clock()
      const beganMs = nowMs()
      const closed = await claim(tasks[0]!, key, { worker: 'one', leaseSeconds: 86_400 })
      wl.passTime(hourMs)
      const renewal = { key, headers: { 'worklore-claim': closed } }
      expectStatus(await wl.post(`/v1/tasks/${tasks[0]}/renew`, {}, renewal), 200)
      const renewedMs = nowMs()
      wl.passTime(60_000)
      expectStatus(await wl.patch(`/v1/tasks/${tasks[0]}`, { status: 'done' }, { key: overseer.key }), 200)
      const own = await claim(tasks[1]!, key, { worker: 'two' })
      wl.passTime(1_000)
      await release(own, key, { status: 'done' })
      const releasedMs = nowMs()
      await claim(tasks[2]!, key, { worker: 'two', leaseSeconds: 10 })
      wl.passTime(20_000)
      await wl.patch(`/v1/tasks/${tasks[2]}`, { title: 'touched' })

      const row = await ofKey(id)
      assert.deepEqual([row.claims.ended, row.claims.finished, row.claims.medianSeconds], [3, 1, 1])
      const { claims } = await ofKey(overseer.id)
      assert.deepEqual([claims.ended, claims.finished, claims.medianSeconds], [0, 1, null])
      assert.equal((await usage(`by=project&projectId=${project.id}`))[0]!.claims.finished, 2)
      const finishedByHour = async (keyId: string) =>
        (await usage(`by=hour&keyId=${keyId}`)).reduce((sum, hour) => sum + hour.claims.finished, 0)
      assert.deepEqual([await finishedByHour(id), await finishedByHour(overseer.id)], [1, 1])
      assert.equal(Date.parse(row.firstAt!), beganMs)
      const seen = row.workers.map(({ worker, firstAt, lastSeenAt, claims }) => [
        worker,
        claims.finished,
        Date.parse(firstAt!),
        Date.parse(lastSeenAt!),
      ])
      assert.deepEqual(seen.sort(), [
        ['one', 0, beganMs, renewedMs],
        ['two', 1, releasedMs - 1_000, releasedMs],
      ])
    })

    it('shows who waits for a task until it stops asking', async () => {
      const project = await createProject(wl)
      const { id, key } = await createKey(wl)
      const body = { projectId: project.id, worker: 'patient', waitSeconds: 30 }
      const waiting = wl.post('/v1/tasks/next', body, { key })
      for (;;) {
        const [row] = await usage(`keyId=${id}`)
        if (row?.workers.some(({ worker, waitsUntil }) => worker === 'patient' && waitsUntil !== null)) break
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      await createTask(wl, project.id)
      assert.notEqual(expectStatus(await waiting, 200).body.data, null)
      wl.passTime(100_000)
      assert.equal((await ofKey(id)).waitsUntil, null)
    })

    it('counts by the hour and by the day, and forgets both in time', async () => {
      const { id, key } = await createKey(wl)
      await wl.get('/v1/me', { key })
      await ofKeyWith(1, id)
      wl.passTime(hourMs)
      await wl.get('/v1/me', { key })
      await wl.get('/v1/me', { key })
      await ofKeyWith(3, id)
      const hours = await usage(`by=hour&keyId=${id}`)
      assert.deepEqual(
        hours.map(({ requests }) => requests),
        [1, 2],
      )
      assert.equal(Date.parse(hours[1]!.at!) - Date.parse(hours[0]!.at!), hourMs)
      const sum = (rows: Row[]) => rows.reduce((total, { requests }) => total + requests, 0)
      assert.equal(sum(await usage(`by=day&keyId=${id}`)), 3)

      const { core } = wl.service
      const tenantIds = (await rowsOf<{ tenant_id: string }>(wl, 'select tenant_id from tenants')).map(
        (row) => row.tenant_id,
      )
      const trim = async () => {
        for (const tenantId of tenantIds)
          for (const rows of [...agedCounts, agedClaims]) await deleteAgedRows(core.db, rows, tenantId, core.clock())
      }
      wl.passTime(keptMs.hour + 2 * hourMs)
      await trim()
      assert.deepEqual(await usage(`by=hour&keyId=${id}`), [])
      assert.equal(sum(await usage(`by=day&keyId=${id}`)), 3)
      wl.passTime(keptMs.day)
      await trim()
      for (const table of ['usage_counts', 'agent_waits', 'ended_claims'])
        assert.equal((await rowsOf(wl, `select key_id from ${table} where key_id = '${id}'`)).length, 0)
    })

    it('shows what is being written at that moment', async () => {
      const { id } = await createKey(wl)
      const { usage: counters, db } = wl.service.core
      const { ofTenant } = db
      const { id: tenantId } = (await wl.get('/v1/me')).body.data.tenant
      const pause = () => new Promise<void>((resolve) => setTimeout(resolve, 200))
      const slow = (store: ReturnType<typeof ofTenant>) => ({
        ...store,
        transaction: (...work: Parameters<typeof store.transaction>) => pause().then(() => store.transaction(...work)),
      })
      Object.assign(db, { ofTenant: (tenantId: string) => slow(ofTenant(tenantId)) })
      counters.countRequest({ tenantId, keyId: id }, {}, 200)
      const writing = counters.flush()
      Object.assign(db, { ofTenant })
      assert.equal((await ofKey(id)).requests, 1)
      await writing
    })

    it('keeps what could not be written for the next time', async () => {
      const { id, key } = await createKey(wl)
      const { usage: counters, db } = wl.service.core
      const { ofTenant } = db
      const failing = () => Promise.reject(new Error('away'))
      Object.assign(db, { ofTenant: (tenantId: string) => ({ ...ofTenant(tenantId), transaction: failing }) })
      try {
        await wl.get('/v1/me', { key })
        // A request is counted after its answer.
        const error = await until(
          () =>
            counters.flush().then(
              () => null,
              (error: Error) => error,
            ),
          (error) => error !== null,
        )
        assert.equal(error?.message, 'away')
      } finally {
        Object.assign(db, { ofTenant })
      }
      assert.equal((await ofKey(id)).requests, 1)
    })

    it('refuses other keys and queries that make no sense', async () => {
      const { key } = await createKey(wl)
      expectError(await wl.get('/v1/usage', { key }), 'FORBIDDEN')
      expectInvalid(await wl.get('/v1/usage?since=yesterday'), 'since')
      expectInvalid(await wl.get('/v1/usage?since=2999-01-01'), 'since')
      expectInvalid(await wl.get('/v1/usage?by=week'), 'by')
      expectInvalid(await wl.get('/v1/usage?projectId=NONE'), 'projectId')
    })

    it('lets what one worker of a key did be undone', async () => {
      const project = await createProject(wl)
      const { id: keyId, key } = await createKey(wl, { scopes })
      const tasks: string[] = []
      for (let made = 0; made < 3; made++) tasks.push((await createTask(wl, project.id)).id)
      const write = async (taskId: string, worker: string, isReleased: boolean) => {
        const token = await claim(taskId, key, { worker })
        const headers = { 'worklore-claim': token }
        expectStatus(await wl.patch(`/v1/tasks/${taskId}`, { title: `By ${worker}` }, { key, headers }), 200)
        await putItem(wl, `notes/${taskId}`, `By ${worker}`, {}, { key, headers })
        if (isReleased) await release(token, key, { status: 'done' })
      }
      await write(tasks[0]!, 'bad', true)
      await write(tasks[1]!, 'good', true)
      await write(tasks[2]!, 'bad', false)
      const undo = async (body: object) => expectStatus(await wl.post('/v1/undo', body), 200).body.data
      const plan = await undo({ keyId, worker: 'bad' })
      const report = await undo({ keyId, worker: 'bad', dryRun: false })
      assert.deepEqual({ ...report, dryRun: true }, plan)
      assert.equal(report.undone.length, 4)
      const titleOf = async (taskId: string) => (await wl.get(`/v1/tasks/${taskId}`)).body.data.title
      assert.deepEqual(await Promise.all(tasks.map(titleOf)), ['A task', 'By good', 'A task'])
      expectError(await wl.get(`/v1/knowledge/notes/${tasks[2]}`), 'NOT_FOUND')
      expectStatus(await wl.get(`/v1/knowledge/notes/${tasks[1]}`), 200)
      const [entry] = (await wl.get('/v1/audit?action=undo.applied')).body.data
      assert.equal(entry.details.worker, 'bad')
      assert.deepEqual((await undo({ keyId, worker: 'nobody' })).undone, [])
      expectInvalid(await wl.post('/v1/undo', { worker: 'bad', claim: `${tasks[0]}.1` }), 'worker')
      expectInvalid(await wl.post('/v1/undo', { worker: 'bad', keyId, requestId: 'x' }), 'worker')
    })
  },
  { isTimeStill: true },
)
