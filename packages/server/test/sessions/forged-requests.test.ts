import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { type Browser, sameOrigin, signIn, trade } from 'worklore-testing/console-session'
import { expectError, expectStatus } from 'worklore-testing/expect'
import { type Answer, send } from 'worklore-testing/harness'
import { addTenant } from 'worklore-testing/operator'
import { describeClient } from 'worklore-testing/service-suite'

describeClient('forged requests to the web console', (wl) => {
  let browser: Browser
  let halves: Record<string, string>

  before(async () => {
    browser = await signIn(wl)
    halves = { cookie: browser.cookie, 'worklore-session': browser.secret }
  })

  const me = (headers: Record<string, string>, path = '/v1/me', method = 'GET'): Promise<Answer> =>
    send(wl.baseUrl, method, path, { headers })

  it('have no use of one half', async () => {
    assert.equal(expectError(await me({ ...sameOrigin, cookie: browser.cookie }), 'UNAUTHORIZED').reason, 'missing')
    const secret = { 'worklore-session': browser.secret }
    assert.equal(expectError(await me({ ...sameOrigin, ...secret }), 'UNAUTHORIZED').reason, 'invalid')
    const bearer = { authorization: `Bearer ${browser.secret}` }
    expectError(await me({ ...sameOrigin, ...bearer }), 'UNAUTHORIZED')
    expectError(await me({ ...sameOrigin, ...bearer, cookie: browser.cookie }), 'UNAUTHORIZED')
    expectStatus(await me({ ...sameOrigin, ...halves }), 200)
  })

  it('have no use of halves of two sessions', async () => {
    const other = await signIn(wl)
    for (const [cookie, secret] of [
      [browser.cookie, other.secret],
      [other.cookie, browser.secret],
    ] as const) {
      expectError(await me({ ...sameOrigin, cookie, 'worklore-session': secret }), 'UNAUTHORIZED')
    }
    expectStatus(await browser.get('/v1/me'), 200)
    expectStatus(await other.get('/v1/me'), 200)
  })

  it('are refused from another port, site or program, with both halves too', async () => {
    for (const site of ['same-site', 'cross-site', 'none', '']) {
      assert.equal(expectError(await me({ ...halves, 'sec-fetch-site': site }), 'FORBIDDEN').reason, 'origin', site)
    }
    assert.equal(expectError(await me(halves), 'FORBIDDEN').reason, 'origin')
    for (const origin of ['http://127.0.0.1:1', 'http://localhost:8080', 'https://evil.example', 'null']) {
      assert.equal(expectError(await me({ ...halves, origin }), 'FORBIDDEN').reason, 'origin', origin)
    }
    expectStatus(await me({ ...halves, origin: wl.baseUrl }), 200)
    // The browser's word counts more than what else is sent.
    expectError(await me({ ...halves, origin: wl.baseUrl, 'sec-fetch-site': 'same-site' }), 'FORBIDDEN')
  })

  it('are refused for every write', async () => {
    const answer = await send(wl.baseUrl, 'POST', '/v1/projects', {
      headers: { ...halves, 'sec-fetch-site': 'same-site' },
      body: { key: 'FORGED', name: 'Forged' },
    })
    expectError(answer, 'FORBIDDEN')
    expectError(await wl.get('/v1/projects/FORGED'), 'NOT_FOUND')
  })

  it('are refused under another name of this machine (DNS rebinding)', async () => {
    const { port } = new URL(wl.baseUrl)
    for (const host of [`evil.example:${port}`, 'evil.example', `localhost.evil.example:${port}`, '127.0.0.1.evil']) {
      const answer = await me({ ...sameOrigin, ...halves, host })
      assert.equal(expectError(answer, 'FORBIDDEN').reason, 'host', host)
      const signing = await trade(wl, { key: wl.adminKey }, { ...sameOrigin, host })
      assert.equal(expectError(signing, 'FORBIDDEN').reason, 'host', host)
    }
    for (const host of [`localhost:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`]) {
      expectStatus(await me({ ...sameOrigin, ...halves, host }), 200)
    }
  })

  it('sign nobody in or out from another origin', async () => {
    for (const headers of [{}, { 'sec-fetch-site': 'same-site' }, { origin: 'http://localhost:1' }]) {
      assert.equal(expectError(await trade(wl, { key: wl.adminKey }, headers), 'FORBIDDEN').reason, 'origin')
      const signedOut = await me({ ...halves, ...headers }, '/console/session', 'DELETE')
      expectError(signedOut, 'FORBIDDEN')
      assert.equal(signedOut.headers['set-cookie'], undefined)
    }
    expectStatus(await browser.get('/v1/me'), 200)
  })

  it('reach no other interface', async () => {
    const answer = await send(wl.baseUrl, 'POST', '/mcp', {
      headers: { ...sameOrigin, ...halves, accept: 'application/json, text/event-stream' },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    })
    assert.equal(answer.status, 401)
  })

  it('reach no other tenant', async () => {
    const stranger = await signIn(wl, { key: await addTenant(wl) })
    expectError(await stranger.request('DELETE', `/v1/sessions/${browser.session.id}`), 'NOT_FOUND')
    expectError(await stranger.post(`/v1/keys/${browser.session.keyId}/console-link`, {}), 'NOT_FOUND')
    const { data } = (await stranger.get('/v1/sessions')).body
    assert.deepEqual(
      data.map(({ id }: { id: string }) => id),
      [stranger.session.id],
    )
    // A cookie says which tenant it is of: another's secret does not fit it.
    const [name, value] = browser.cookie.split('=') as [string, string]
    const tenant = stranger.cookie.split('=')[1]!.split('.')[0]
    const moved = `${name}=${[tenant, ...value.split('.').slice(1)].join('.')}`
    expectError(await me({ ...sameOrigin, cookie: moved, 'worklore-session': browser.secret }), 'UNAUTHORIZED')
  })

  it('cannot crowd out the cookie of a session with others of its name', async () => {
    const [name, value] = browser.cookie.split('=') as [string, string]
    const other = await signIn(wl)
    const stranger = await signIn(wl, { key: await addTenant(wl) })
    const wellFormed = `${value.slice(0, -32)}${'0'.repeat(32)}`
    const others = [`${name}=`, `${name}=x,y`, `${name}=${wellFormed}`, other.cookie, stranger.cookie]
    for (const cookies of [
      [...others, browser.cookie],
      [browser.cookie, ...others],
    ]) {
      const answer = await me({ ...sameOrigin, ...halves, cookie: cookies.join('; ') }, '/v1/sessions')
      const { data } = expectStatus(answer, 200).body
      const current = data.find(({ current }: { current: boolean }) => current)
      assert.equal(current.id, browser.session.id)
    }
    // Each of them needs its own secret.
    expectError(await me({ ...sameOrigin, ...halves, cookie: others.join('; ') }), 'UNAUTHORIZED')
    const leaving = { ...other.headers, cookie: [...others, browser.cookie].join('; ') }
    expectStatus(await me(leaving, '/console/session', 'DELETE'), 200)
    expectError(await me(other.headers), 'UNAUTHORIZED')
    expectStatus(await me(browser.headers), 200)
  })

  it('are no use of a malformed half', async () => {
    const [name, value] = browser.cookie.split('=') as [string, string]
    const cookies = [
      '',
      name,
      `${name}=`,
      `${name}="${value}"`,
      `${name}=${value}x`,
      `x=${value}`,
      `${name}=..`,
      '====;;;',
    ]
    for (const cookie of cookies) expectError(await me({ ...sameOrigin, ...halves, cookie }), 'UNAUTHORIZED')
    for (const secret of ['x', `${browser.secret}x`, `${browser.secret} x`, 'wl_session_', 'x'.repeat(8_000)]) {
      expectError(await me({ ...sameOrigin, ...halves, 'worklore-session': secret }), 'UNAUTHORIZED')
    }
    expectStatus(await me({ ...sameOrigin, ...halves, cookie: `a=b; ${browser.cookie}; c=d` }), 200)
  })
})
