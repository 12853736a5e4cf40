import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { addKey, addLink, signIn, trade } from 'worklore-testing/console-session'
import { engines } from 'worklore-testing/engines'
import { openStream } from 'worklore-testing/event-stream'
import { expectError, expectStatus } from 'worklore-testing/expect'
import { send, startService, type TestService } from 'worklore-testing/harness'
import { operatorCallOf } from 'worklore-testing/operator'

const sessionReads = 40
const openStreams = 7
const plans = {
  free: { sessionReadsPerMinute: sessionReads, openStreams, requestsPerMinute: 10_000, requestsPerDay: 10_000 },
}

for (const engine of engines) {
  describe(`limits of sessions on ${engine.name}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'worklore-test-'))
    let wl: TestService
    before(async () => {
      const plansFile = join(folder, 'plans.json')
      writeFileSync(plansFile, JSON.stringify(plans))
      wl = await startService(engine, { config: { plan: 'free', plansFile }, isTimeStill: true })
    })
    after(async () => {
      await wl.stop()
      rmSync(folder, { recursive: true })
    })

    const usedLimits = async (): Promise<Record<string, number>> => {
      const { limiter, plans } = wl.service.core
      const { tenantId } = operatorCallOf(wl).actor
      const windows = await limiter.look(tenantId, plans.get('free')!)
      return Object.fromEntries(windows.map(({ name, limit, remaining }) => [name, limit - remaining]))
    }

    it('count reads and writes in windows of their own', async () => {
      const browser = await signIn(wl)
      const before = await usedLimits()
      for (let at = 0; at < 10; at++) expectStatus(await browser.get('/v1/tasks/cards'), 200)
      const read = await browser.get('/v1/projects')
      assert.deepEqual([read.headers['x-ratelimit-limit'], read.headers['x-ratelimit-remaining']], ['40', '29'])
      assert.equal(read.headers['ratelimit-policy'], '"session-reads-per-minute";q=40;w=60')
      await browser.get('/v1/tasks/search?q=x')
      await browser.post('/v1/projects', { key: 'ACME', name: 'Acme' })
      const { id } = expectStatus(await browser.post('/v1/tasks', { projectId: 'ACME', title: 'x' }), 201).body.data
      const renames = ['y', 'z'].map((title) => ({ method: 'PATCH', path: `/v1/tasks/${id}`, body: { title } }))
      const written = await browser.post('/v1/batch', { operations: renames })
      assert.equal(written.headers['ratelimit-policy'], '"session-writes-per-minute";q=600;w=60')
      await browser.request('PATCH', `/v1/tasks/${id}`, { body: { checkDuplicates: 1 } })
      const used = Object.entries(await usedLimits()).map(([name, count]) => [name, count - before[name]!])
      assert.deepEqual(Object.fromEntries(used), {
        'requests per minute': 0,
        'requests per day': 0,
        'task creates per hour': 0,
        'searches per minute': 0,
        'knowledge writes per hour': 0,
        'session reads per minute': 12,
        'session writes per minute': 5,
      })
    })

    it('refuse reads beyond it, of all sessions together, and let agents go on', async () => {
      const [first, second] = [await signIn(wl), await signIn(wl)]
      for (let left = sessionReads - 12; left > 0; left--) {
        expectStatus(await (left % 2 ? first : second).get('/v1/me'), 200)
      }
      const refused = expectError(await first.get('/v1/me'), 'RATE_LIMIT_EXCEEDED')
      assert.deepEqual([refused.limit, refused.plan, refused.retryAfter], ['session reads per minute', 'free', 60])
      expectStatus(await first.post('/v1/users', { name: 'Ada' }), 201)
      expectStatus(await wl.get('/v1/me'), 200)
      wl.passTime(60_000)
      const { limits } = expectStatus(await first.get('/v1/me'), 200).body.data
      const windows = limits
        .slice(-2)
        .map(({ name, limit, remaining }: Record<string, unknown>) => [name, limit, remaining])
      assert.deepEqual(windows, [
        ['session reads per minute', sessionReads, sessionReads - 1],
        ['session writes per minute', 600, 600],
      ])
    })

    it('are one quota with streams and long polls', async () => {
      const { key } = await addKey(wl)
      const browsers = []
      // Three were opened before.
      for (let at = 0; at < openStreams - 4; at++) browsers.push(await signIn(wl, { key }))
      const stream = await openStream(`${wl.baseUrl}/v1/events/stream`, wl.adminKey)
      assert.equal(stream.status, 200)
      const refused = expectError(await trade(wl, { key }), 'FORBIDDEN')
      assert.deepEqual([refused.reason, refused.quota, refused.limit, refused.used], ['quota', 'open streams', 7, 7])
      const { quotas } = (await wl.get('/v1/me')).body.data
      const expected = { name: 'open streams', limit: openStreams, used: openStreams }
      assert.deepEqual(
        quotas.find(({ name }: { name: string }) => name === 'open streams'),
        expected,
      )
      // Sessions of a moment ago may not be counted yet for what is opened often.
      await new Promise((resolve) => setTimeout(resolve, 1_050))
      expectError(await wl.get('/v1/events?wait=1&after=latest'), 'FORBIDDEN')
      expectStatus(await browsers[0]!.request('DELETE', '/console/session'), 200)
      expectStatus(await trade(wl, { key }), 201)
      stream.close()
    })

    it('count sign-ins that fail by address', async () => {
      let refusedAt = 0
      for (let at = 1; at <= 70 && refusedAt === 0; at++) {
        const answer = await trade(wl, { key: `no-such-key-${at}`.padEnd(40, 'x') })
        if (answer.status === 429) refusedAt = at
        else expectError(answer, 'UNAUTHORIZED')
        assert.equal(answer.headers['x-ratelimit-limit'], '60')
      }
      assert.equal(refusedAt, 61)
      for (const body of [{}, { link: 'x' }, { key: 'x' }]) {
        const refused = expectError(await trade(wl, body), 'RATE_LIMIT_EXCEEDED')
        assert.equal(refused.limit, 'anonymous requests per minute')
      }
      expectError(await send(wl.baseUrl, 'GET', '/v1/me'), 'RATE_LIMIT_EXCEEDED')
      // Whoever has a good key still gets in.
      expectStatus(await trade(wl, { key: wl.adminKey }), 201)
    })

    it('stop a runaway agent that has used up all of the plan', async () => {
      // The sessions from before have ended.
      wl.passTime(86_400_000)
      const { key, id } = await addKey(wl)
      const agent = await addKey(wl, { scopes: ['tasks:write'] })
      const link = await addLink(wl, id)
      const browser = await signIn(wl)
      const { tenantId } = operatorCallOf(wl).actor
      const { limiter, plans } = wl.service.core
      const operations = Array.from({ length: 9_000 }, () => undefined)
      while ((await limiter.admit(tenantId, plans.get('free')!, { operations, countsIn: 'plan' })).isAllowed);
      while ((await limiter.take(tenantId, plans.get('free')!)).isAllowed);
      // Whoever was not signed in yet gets in, but not by the key of an agent, which may be the one.
      expectStatus(await trade(wl, { link }), 201)
      expectStatus(await trade(wl, { key: wl.adminKey }), 201)
      expectError(await trade(wl, { key: agent.key }), 'RATE_LIMIT_EXCEEDED')
      expectError(await send(wl.baseUrl, 'GET', '/v1/me', { key }), 'RATE_LIMIT_EXCEEDED')
      expectStatus(await browser.request('DELETE', `/v1/keys/${id}`), 200)
    })
  })
}
