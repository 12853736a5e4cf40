import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { runCommand } from 'worklore-testing/program'
import { sendRaw } from 'worklore-testing/raw-http'
import { type RealProcess, startProcess } from 'worklore-testing/real-process'
import { until } from 'worklore-testing/until'
import { systemClock } from '../src/base/clock.js'
import { createTenant } from '../src/tenancy/tenants/service.js'
import { createLimitsStore, type LimitsStore, planOf } from './limits-store.js'

const names = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'ratelimit-policy', 'ratelimit']

const { requestsPerDay } = planOf('free')

const assertLimitHeaders = (headers: Headers, what: string): void => {
  for (const name of names) assert.ok(headers.get(name), `${name} on ${what}`)
  const resetInSeconds = Number(headers.get('x-ratelimit-reset')) - Date.now() / 1_000
  assert.ok(resetInSeconds > -1 && resetInSeconds <= 86_402, `reset in ${resetInSeconds} s on ${what}`)
}

for (const engine of engines) {
  describe(`limits of a served ${engine.name}`, () => {
    let store: LimitsStore
    let server!: RealProcess

    const addTenant = async (name: string, plan = 'free'): Promise<string> =>
      (await createTenant(store.db, systemClock, { name, plan })).key.secret

    const send = (path: string, key?: string, init: RequestInit = {}, to: RealProcess = server): Promise<Response> =>
      fetch(`${to.baseUrl}${path}`, {
        ...init,
        headers: { ...(key ? { authorization: `Bearer ${key}` } : {}), ...(init.headers as Record<string, string>) },
      })

    const sendJson = (method: string, path: string, key: string, body: unknown): Promise<Response> =>
      send(path, key, { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })

    const remaining = async (key: string, window: string): Promise<number> => {
      const { data } = (await (await send('/v1/me', key)).json()) as {
        data: { limits: { name: string; remaining: number }[] }
      }
      return data.limits.find(({ name }) => name === window)!.remaining
    }
    const remainingPerMinute = (key: string): Promise<number> => remaining(key, 'requests per minute')

    before(async () => {
      store = await createLimitsStore(engine.name)
      server = await startProcess(store.settings)
    })
    after(async () => {
      await server?.end('SIGTERM')
      await store.remove()
    })

    it('lets exactly 60 of 200 simultaneous requests pass, and teaches the others', async () => {
      const key = await addTenant('burst')
      const answers = await Promise.all(Array.from({ length: 200 }, () => send('/v1/projects', key)))
      assert.equal(answers.filter(({ status }) => status === 200).length, 60)
      const refused = answers.filter(({ status }) => status === 429)
      assert.equal(refused.length, 140)
      for (const answer of refused) {
        assertLimitHeaders(answer.headers, '429')
        const { error } = (await answer.json()) as { error: Record<string, unknown> }
        assert.equal(error.code, 'RATE_LIMIT_EXCEEDED')
        assert.equal(error.limit, 'requests per minute')
        assert.equal(error.plan, 'free')
        assert.match(String(error.hint), /set-plan/)
        assert.equal(String(error.retryAfter), answer.headers.get('retry-after'))
        assert.ok(Number(error.retryAfter) >= 1 && Number(error.retryAfter) <= 60)
        assert.match(String(error.message), new RegExp(`${error.retryAfter} second`))
      }
    })

    it('counts searches over tasks and knowledge together', async () => {
      const key = await addTenant('searcher')
      const paths = ['/v1/tasks/search?q=one', '/v1/knowledge/search?q=one']
      const answers = await Promise.all(Array.from({ length: 40 }, (_, at) => send(paths[at % 2]!, key)))
      assert.equal(answers.filter(({ status }) => status !== 429).length, 30)
      const refused = (await answers.find(({ status }) => status === 429)!.json()) as { error: { limit: string } }
      assert.equal(refused.error.limit, 'searches per minute')
      assert.equal((await send('/v1/projects', key)).headers.get('x-ratelimit-remaining'), '29')
    })

    for (const [method, path, limit, name] of [
      ['POST', '/v1/tasks', 100, 'task creates per hour'],
      ['PUT', '/v1/knowledge/a/b', 60, 'knowledge writes per hour'],
    ] as const) {
      it(`counts ${name} by the route, before the body is looked at`, async () => {
        const key = await addTenant(name, 'pro')
        const answers = await Promise.all(Array.from({ length: limit + 10 }, () => sendJson(method, path, key, {})))
        assert.equal(answers.filter(({ status }) => status === 400).length, limit)
        const refused = answers.filter(({ status }) => status === 429)
        assert.equal(refused.length, 10)
        assert.equal(((await refused[0]!.json()) as { error: { limit: string } }).error.limit, name)
        assert.equal(await remainingPerMinute(key), 300 - limit - 1)
      })
    }

    it('shows the limits on every kind of answer', async () => {
      const key = await addTenant('kinds')
      const project = (await (await sendJson('POST', '/v1/projects', key, { key: 'KIND', name: 'Kinds' })).json()) as {
        data: { id: string }
      }
      const projectPath = `/v1/projects/${project.data.id}`
      const etag = (await send(projectPath, key)).headers.get('etag')!
      const notJson = { method: 'POST', body: 'title=x', headers: { 'content-type': 'text/plain' } }
      const kinds: [number, () => Promise<Response>][] = [
        [200, () => send(projectPath, key)],
        [201, () => sendJson('PUT', '/v1/knowledge/a/b', key, { content: 'text' })],
        [304, () => send(projectPath, key, { headers: { 'if-none-match': etag } })],
        [400, () => sendJson('POST', '/v1/tasks', key, { nonsense: true })],
        [400, () => send('/v1/tasks/%zz', key)],
        [401, () => send('/v1/tasks')],
        [401, () => send('/v1/tasks', 'wl_live_unknown')],
        [401, () => send('/v1/no/such/route')],
        [404, () => send('/v1/tasks/KIND-999', key)],
        [404, () => send('/v1/no/such/route', key)],
        [405, () => send('/v1/me', key, { method: 'DELETE' })],
        [412, () => send(projectPath, key, { method: 'DELETE', headers: { 'if-match': '"99"' } })],
        [413, () => sendJson('PUT', '/v1/knowledge/big', key, { content: 'x'.repeat(3_000_000) })],
        [415, () => send('/v1/tasks', key, notJson)],
      ]
      for (const [status, answer] of kinds) {
        const got = await answer()
        assert.equal(got.status, status)
        assertLimitHeaders(got.headers, String(status))
      }
    })

    it('shows the limits on what fails before it is a request', async () => {
      const broken = await sendRaw(server.baseUrl, 'GET / HTTP/1.1\r\nbroken header\r\n\r\n')
      const tooLarge = `GET / HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(40_000)}\r\n\r\n`
      const large = await sendRaw(server.baseUrl, tooLarge)
      assert.deepEqual([broken?.status, large?.status], [400, 431])
      for (const answer of [broken, large]) {
        for (const name of names) assert.ok(answer?.headers[name], name)
      }
    })

    it('counts requests without a valid key by themselves', async () => {
      const key = await addTenant('keyed')
      // Whoever is not told to trust a proxy does not let a client choose its address.
      const claiming = (at: number) => ({ headers: { 'x-forwarded-for': `192.0.2.${at}` } })
      const answers = await Promise.all(
        Array.from({ length: 90 }, (_, at) => send('/v1/tasks', undefined, claiming(at))),
      )
      assert.ok(answers.filter(({ status }) => status === 401).length <= 60)
      const refused = answers.filter(({ status }) => status === 429)
      assert.ok(refused.length >= 30)
      for (const answer of refused) assert.ok(Number(answer.headers.get('retry-after')) >= 1)
      assert.equal(await remainingPerMinute(key), 59)
    })

    it('takes the address from a proxy that it trusts', async (test) => {
      const own = await engine.createPreparedStore()
      const node = await startProcess(own, { TRUST_PROXY: 'true' })
      test.after(async () => {
        await node.end('SIGTERM')
        await own.remove()
      })
      const sendFrom = (address: string) =>
        send('/v1/tasks', undefined, { headers: { 'x-forwarded-for': address } }, node)
      const ends = Array.from({ length: 61 }, (_, at) => `2001:db8:1:2::${at.toString(16)}`)
      const answers = await Promise.all(ends.map(sendFrom))
      assert.equal(answers.filter(({ status }) => status === 401).length, 60)
      assert.equal((await sendFrom('2001:db8:1:3::1')).headers.get('x-ratelimit-remaining'), '59')
      assert.equal((await sendFrom('192.0.2.7')).headers.get('x-ratelimit-remaining'), '59')
    })

    it('takes up another plan within five seconds, without losing counts', async () => {
      const key = await addTenant('growing')
      for (let i = 0; i < 10; i++) await send('/v1/projects', key)
      await runCommand(store.settings, 'tenants', 'set-plan', 'growing', 'pro')
      await new Promise((done) => setTimeout(done, 5_000))
      assert.equal(await remainingPerMinute(key), 289)
    })

    it('keeps counts exactly over SIGTERM, and to the last second over SIGKILL', async () => {
      const { key: made, tenant } = await createTenant(store.db, systemClock, { name: 'restarted', plan: 'free' })
      const key = made.secret
      const usedToday = async (): Promise<number> => {
        const sql = 'select day_used from limit_windows where tenant_id = ?'
        return (await store.db.get<{ day_used: number }>(sql, [tenant.id]))?.day_used ?? 0
      }
      await Promise.all(Array.from({ length: 20 }, () => send('/v1/projects', key)))
      assert.equal(await server.end('SIGTERM'), 0)
      server = await startProcess(store.settings)
      await Promise.all(Array.from({ length: 20 }, () => send('/v1/projects', key)))
      assert.equal(await until(usedToday, (used) => used === 40), 40)
      await server.end('SIGKILL')
      server = await startProcess(store.settings)
      // A minute may have passed.
      assert.equal(await remaining(key, 'requests per day'), requestsPerDay - 41)
    })

    if (engine.name === 'postgres') {
      it('answers 503 while the counts are out of reach, and never lets a request pass uncounted', async () => {
        const key = await addTenant('waiting')
        await send('/v1/projects', key)
        await store.db.transaction(async (tx) => {
          // The requests may take longer than the service lets a transaction idle.
          await tx.run('set local idle_in_transaction_session_timeout = 0')
          await tx.all('select 1 from limit_windows for update')
          const answers = await Promise.all(Array.from({ length: 5 }, () => send('/v1/projects', key)))
          for (const answer of answers) {
            assert.equal(answer.status, 503)
            assert.ok(Number(answer.headers.get('retry-after')) >= 1)
            assertLimitHeaders(answer.headers, '503')
          }
        })
        assert.equal((await send('/v1/projects', key)).status, 200)
      })

      it('lets exactly 60 of 200 pass, of three nodes together', async (test) => {
        const key = await addTenant('three nodes')
        const others = await Promise.all([startProcess(store.settings), startProcess(store.settings)])
        test.after(() => Promise.all(others.map((node) => node.end('SIGTERM'))))
        const nodes = [server, ...others]
        const answers = await Promise.all(
          Array.from({ length: 200 }, (_, at) => send('/v1/projects', key, {}, nodes[at % 3])),
        )
        const left = answers
          .filter(({ status }) => status === 200)
          .map(({ headers }) => Number(headers.get('x-ratelimit-remaining')))
        assert.deepEqual(
          left.sort((a, b) => b - a),
          Array.from({ length: 60 }, (_, at) => 59 - at),
        )
      })
    }
  })
}
