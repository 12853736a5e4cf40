import assert from 'node:assert/strict'
import { it } from 'node:test'
import { expectError, expectStatus } from 'worklore-testing/expect'
import { rowsOf, send } from 'worklore-testing/harness'
import { attempt, createBrowser, describeSignIn, openWith, signedIn, signInAt } from './stage.js'

const verified = (email: string, more: object = {}) => ({ email, email_verified: true, name: 'Ada Lovelace', ...more })

describeSignIn('signing in with OpenID Connect', (stage) => {
  const auditOf = async (action: string) => {
    await stage.wl.service.core.refusals.flush()
    return (await stage.wl.get(`/v1/audit?action=${action}&limit=100`)).body.data as {
      subject: string
      address: string | null
      details: Record<string, unknown>
    }[]
  }

  it('is offered to the sign-in page', async () => {
    const { wl, provider } = stage
    const { data } = expectStatus(await wl.get('/console/oidc/issuers', { key: null }), 200).body
    const { host } = new URL(provider.issuer)
    const url = `${wl.baseUrl}/console/oidc/login?issuer=${encodeURIComponent(provider.issuer)}`
    assert.deepEqual(data, [{ name: host, url }])
  })

  it('asks the issuer with PKCE, state and nonce', async () => {
    const { wl, provider } = stage
    const answer = await createBrowser().get(`${wl.baseUrl}/console/oidc/login`)
    assert.equal(answer.status, 302)
    assert.equal(answer.headers['cache-control'], 'no-store')
    const url = new URL(answer.location)
    assert.equal(url.origin, provider.issuer)
    const asked = Object.fromEntries(url.searchParams)
    assert.equal(asked.code_challenge_method, 'S256')
    assert.equal(asked.redirect_uri, `${wl.baseUrl}/console/oidc/callback`)
    for (const name of ['state', 'nonce', 'code_challenge']) assert.ok(asked[name]!.length >= 40)
    const [cookie] = answer.headers['set-cookie']!
    for (const part of ['HttpOnly', 'SameSite=Lax', 'Max-Age=600']) assert.ok(cookie!.includes(part))
    for (const secret of [asked.state!, asked.nonce!]) assert.ok(!decodeURIComponent(cookie!).includes(secret))
  })

  it('creates a user of an allowed domain, who acts through a key without a secret', async () => {
    const { wl, provider } = stage
    provider.accounts.set('ada', verified('Ada@Example.com'))
    const ada = await signedIn(stage, 'ada')
    const { data: me } = expectStatus(await ada.get('/v1/me'), 200).body
    assert.equal(me.user.name, 'Ada Lovelace')
    assert.deepEqual(me.scopes, ['tasks:write', 'knowledge:write'])
    assert.equal(me.key.id, ada.session.keyId)
    const user = (await wl.get(`/v1/users/${me.user.id}`)).body.data
    assert.deepEqual([user.email, user.kind, user.role], ['ada@example.com', 'human', 'member'])
    const key = (await wl.get(`/v1/keys/${me.key.id}`)).body.data
    assert.deepEqual([key.prefix, key.userId, key.scopes], ['', user.id, ['tasks:write', 'knowledge:write']])
    const [bound] = await auditOf('user.bound')
    assert.deepEqual([bound?.subject, bound?.details], [user.id, { issuer: provider.issuer, created: true }])
    const opened = (await auditOf('session.created'))[0]!
    assert.deepEqual([opened.details.by, opened.details.issuer], ['sign-in', provider.issuer])

    const again = await signedIn(stage, 'ada')
    assert.equal(again.session.keyId, ada.session.keyId)
    expectError(await ada.request('POST', '/v1/users', { name: 'Eve' }), 'FORBIDDEN')
    await wl.patch(`/v1/users/${user.id}`, { role: 'admin' })
    expectStatus(await again.request('POST', '/v1/projects', { key: 'ADA', name: 'Ada' }), 201)
    assert.deepEqual((await wl.get(`/v1/keys/${me.key.id}`)).body.data.scopes, ['admin'])
  })

  it('binds the one human user with the verified e-mail address, once for an issuer', async () => {
    const { wl, provider } = stage
    const user = (await wl.post('/v1/users', { name: 'Grace', email: 'Grace@elsewhere.org' })).body.data
    provider.accounts.set('grace', verified('grace@Elsewhere.org'))
    assert.equal((await signedIn(stage, 'grace')).session.userId, user.id)
    provider.accounts.set('other-grace', verified('grace@elsewhere.org'))
    const { answer } = await attempt(stage, 'other-grace')
    assert.equal(answer.status, 403)
    assert.match(answer.text, /Ask an admin to add a user with your e-mail address/)
  })

  it('binds no agent, and nobody where two have the address', async () => {
    const { wl, provider } = stage
    await wl.post('/v1/users', { name: 'Robot', kind: 'agent', email: 'robot@elsewhere.org' })
    for (const name of ['One', 'Two']) await wl.post('/v1/users', { name, email: 'two@elsewhere.org' })
    for (const account of ['robot', 'two']) {
      provider.accounts.set(account, verified(`${account}@elsewhere.org`))
      assert.equal((await attempt(stage, account)).answer.status, 403)
    }
  })

  it('binds nobody whose address differs by more than the case of ASCII letters', async () => {
    const { wl, provider } = stage
    const mike = (await wl.post('/v1/users', { name: 'Mike', email: 'Mike@elsewhere.org' })).body.data
    // Each becomes mike@elsewhere.org by Unicode case folding or NFKC.
    for (const [at, email] of [
      'mi\u212ae@elsewhere.org',
      '\uff4dike@elsewhere.org',
      'mike@elsewhere\uff0eorg',
    ].entries()) {
      provider.accounts.set(`not-mike-${at}`, verified(email))
      const { answer } = await attempt(stage, `not-mike-${at}`)
      assert.equal(answer.status, 403, email)
      assert.match(answer.text, /no verified e-mail address/)
    }
    provider.accounts.set('mike', verified('mIKE@ELSEWHERE.org'))
    assert.equal((await signedIn(stage, 'mike')).session.userId, mike.id)
  })

  it('tells addresses apart that differ by the case of other letters', async () => {
    const { wl, provider } = stage
    provider.accounts.set('anne', verified('änne@example.com'))
    const { userId } = (await signedIn(stage, 'anne')).session
    // Without an identity, the user looks like one that was created by hand.
    await wl.service.core.db
      .ofTenant(wl.tenantId)
      .run('delete from user_identities where tenant_id = ? and user_id = ?', [wl.tenantId, userId])
    provider.accounts.set('other-anne', verified('Änne@example.com'))
    assert.notEqual((await signedIn(stage, 'other-anne')).session.userId, userId)
    provider.accounts.set('same-anne', verified('änne@EXAMPLE.com'))
    assert.equal((await signedIn(stage, 'same-anne')).session.userId, userId)
  })

  it('refuses an address that is not verified, with a page and in the audit log', async () => {
    const { wl, provider } = stage
    const mark = '<img src=x onerror=alert(1)>'
    await wl.post('/v1/users', { name: 'Mallory', email: 'mallory@example.com' })
    provider.accounts.set('mallory', { email: 'mallory@example.com', email_verified: false, name: mark })
    const { answer } = await attempt(stage, 'mallory')
    assert.equal(answer.status, 403)
    assert.match(answer.headers['content-type']!, /^text\/html/)
    assert.match(String(answer.headers['content-security-policy']), /default-src 'none'/)
    assert.match(answer.text, /no verified e-mail address/)
    assert.ok(!answer.text.includes(mark))
    assert.equal(answer.headers['cache-control'], 'no-store')
    const refused = (await auditOf('auth.failed')).find(({ details }) => details.refusal === 'email')
    assert.equal(refused?.details.issuer, provider.issuer)
    assert.equal(refused?.address, '127.0.0.1')
  })

  it('says so where the person cancels', async () => {
    const { wl, provider } = stage
    const browser = createBrowser()
    const { location } = await browser.get(`${wl.baseUrl}/console/oidc/login`)
    const asked = await browser.get(location)
    const answer = await browser.follow(`${asked.location}?deny=1`)
    assert.equal(answer.status, 403)
    assert.match(answer.text, /cancelled or refused/)
    assert.ok(answer.text.includes(encodeURIComponent(provider.issuer)))
  })

  it('takes a code once', async () => {
    stage.provider.accounts.set('ada', verified('ada@example.com'))
    const { callback, browser } = await signInAt(stage, 'ada')
    const cookies = new Map(browser.cookies)
    assert.equal((await browser.get(callback)).status, 302)
    // Without the login's cookie, and with the cookie of before.
    const without = await browser.get(callback)
    assert.deepEqual([without.status, /Sign in again/.test(without.text)], [403, true])
    for (const [name, value] of cookies) browser.cookies.set(name, value)
    const replayed = await browser.get(callback)
    assert.equal(replayed.status, 403)
    assert.match(replayed.text, /code is used or expired/)
  })

  it('goes on when the issuer has new keys', async () => {
    stage.provider.rotateKeys()
    assert.ok((await attempt(stage, 'ada')).link)
    stage.provider.rotateKeys()
    assert.ok((await attempt(stage, 'ada')).link)
  })

  it('is not completed in another browser, nor with another state', async () => {
    const { callback, browser } = await signInAt(stage, 'ada')
    const victim = createBrowser()
    assert.equal((await victim.get(callback)).status, 403)
    await victim.get(`${stage.wl.baseUrl}/console/oidc/login`)
    const forced = await victim.get(callback)
    assert.equal(forced.status, 403)
    assert.match(forced.text, /not started in this browser/)
    assert.equal(forced.headers['set-cookie']?.some((line) => line.includes('worklore_link')) ?? false, false)
    const url = new URL(callback)
    url.searchParams.set('state', 'x'.repeat(43))
    assert.equal((await browser.get(url.href)).status, 403)
  })

  it('may be under way several times in a browser, and ends each for itself', async () => {
    const browser = createBrowser()
    const callbacks: string[] = []
    for (let at = 0; at < 5; at++) callbacks.push((await signInAt(stage, 'ada', browser)).callback)
    const [replaced, first, second, third, fourth] = callbacks
    assert.match((await browser.get(replaced!)).text, /not started in this browser/)
    assert.equal((await browser.get(second!)).status, 302)
    assert.match((await browser.get(second!)).text, /was used already/)
    const denied = new URL(first!)
    denied.searchParams.delete('code')
    denied.searchParams.set('error', 'access_denied')
    assert.match((await browser.get(denied.href)).text, /cancelled or refused/)
    assert.match((await browser.get(first!)).text, /was used already/)
    for (const callback of [fourth, third]) assert.match((await browser.get(callback!)).location, /#link=/)
    assert.ok(![...browser.cookies.keys()].some((name) => name.includes('worklore_login')))
  })

  it('ends in a link that works in that browser alone, once', async () => {
    const { link, browser } = await attempt(stage, 'ada')
    expectError(await openWith(stage, link!, createBrowser()), 'UNAUTHORIZED')
    const fixed = createBrowser()
    fixed.cookies.set(
      `${new URL(stage.wl.baseUrl).host} worklore_link_${new URL(stage.wl.baseUrl).port}`,
      'x'.repeat(32),
    )
    expectError(await openWith(stage, link!, fixed), 'UNAUTHORIZED')
    const opened = expectStatus(await openWith(stage, link!, browser), 201)
    assert.ok(opened.headers['set-cookie']!.some((line) => /worklore_link_\d+=;.*Max-Age=0/.test(line)))
    expectError(await openWith(stage, link!, browser), 'UNAUTHORIZED')
  })

  it('leads nowhere else', async () => {
    const { wl, provider } = stage
    const browser = createBrowser()
    for (const issuer of ['https://evil.example', `${provider.issuer}/`, '//evil.example', 'x']) {
      const answer = await browser.get(`${wl.baseUrl}/console/oidc/login?issuer=${encodeURIComponent(issuer)}`)
      assert.deepEqual([answer.status, answer.location], [404, ''])
    }
    const more = '&return=https://evil.example&redirect_uri=https://evil.example&next=//evil.example'
    const login = await browser.get(
      `${wl.baseUrl}/console/oidc/login?issuer=${encodeURIComponent(provider.issuer)}${more}`,
    )
    assert.equal(new URL(login.location).origin, provider.issuer)
    assert.equal(new URL(login.location).searchParams.get('redirect_uri'), `${wl.baseUrl}/console/oidc/callback`)
    const { callback, browser: own } = await signInAt(stage, 'ada')
    const { location } = await own.get(`${callback}${more.replace('redirect_uri', 'target')}`)
    assert.ok(location.startsWith(`${wl.baseUrl}/console/#link=`))
  })

  it('is over after ten minutes', async () => {
    const { callback, browser } = await signInAt(stage, 'ada')
    stage.wl.passTime(10 * 60_000)
    try {
      assert.match((await browser.get(callback)).text, /started too long ago/)
    } finally {
      stage.wl.passTime(-10 * 60_000)
    }
  })

  it('refuses whose key was revoked, sessions at once', async () => {
    const { wl, provider } = stage
    provider.accounts.set('bob', verified('bob@example.com'))
    const bob = await signedIn(stage, 'bob')
    const { keyId } = bob.session
    assert.equal(expectError(await wl.post(`/v1/keys/${keyId}/rotate`, {}), 'CONFLICT').reason, 'no_secret')
    expectError(await wl.post(`/v1/keys/${keyId}/console-link`, {}), 'CONFLICT')
    expectError(await wl.patch(`/v1/keys/${keyId}`, { scopes: ['admin'] }), 'CONFLICT')
    expectError(await wl.patch(`/v1/keys/${keyId}`, { userId: null }), 'CONFLICT')
    expectStatus(await wl.patch(`/v1/keys/${keyId}`, { name: 'Bob at work' }), 200)
    expectStatus(await wl.delete(`/v1/keys/${keyId}`), 200)
    expectError(await bob.get('/v1/me'), 'UNAUTHORIZED')
    const { answer } = await attempt(stage, 'bob')
    assert.equal(answer.status, 403)
    assert.match(answer.text, /access was revoked/)
  })

  it('refuses whose key has ended or is for other addresses, with a page', async () => {
    const { wl, provider } = stage
    provider.accounts.set('elsa', verified('elsa@example.com'))
    const { keyId } = (await signedIn(stage, 'elsa')).session
    expectStatus(await wl.patch(`/v1/keys/${keyId}`, { allowedAddresses: ['192.0.2.0/24'] }), 200)
    const elsewhere = await attempt(stage, 'elsa')
    assert.equal(elsewhere.answer.status, 403)
    assert.match(elsewhere.answer.text, /may not sign in from this address/)
    const expiresAt = new Date(wl.service.core.clock() + 60_000).toISOString()
    expectStatus(await wl.patch(`/v1/keys/${keyId}`, { allowedAddresses: ['127.0.0.1'], expiresAt }), 200)
    assert.ok((await attempt(stage, 'elsa')).link)
    wl.passTime(61_000)
    try {
      const { answer } = await attempt(stage, 'elsa')
      assert.equal(answer.status, 403)
      assert.match(answer.text, /access has ended/)
    } finally {
      wl.passTime(-61_000)
    }
  })

  it('begins anew for a user who was deleted', async () => {
    const { wl, provider } = stage
    provider.accounts.set('carl', verified('carl@example.com'))
    const { session } = await signedIn(stage, 'carl')
    expectStatus(await wl.delete(`/v1/users/${session.userId}`), 200)
    assert.notEqual((await signedIn(stage, 'carl')).session.userId, session.userId)
  })

  it('ends by signing out, and when the issuer says so', async () => {
    const { wl, provider } = stage
    const [first, second] = [await signedIn(stage, 'ada'), await signedIn(stage, 'ada')]
    expectStatus(await first.request('DELETE', '/console/session'), 200)
    expectError(await first.get('/v1/me'), 'UNAUTHORIZED')
    expectStatus(await second.get('/v1/me'), 200)
    // The provider's own page that signs out, which tells the service.
    const page = await second.browser.get(`${provider.issuer}/session/end`)
    const xsrf = /name="xsrf" value="(\w+)"/.exec(page.text)![1]!
    await send(provider.issuer, 'POST', '/session/end/confirm', {
      rawBody: `xsrf=${xsrf}&logout=yes`,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        cookie: second.browser.cookieHeader(provider.issuer),
      },
    })
    expectError(await second.get('/v1/me'), 'UNAUTHORIZED')
    const [ended] = (await auditOf('session.ended')).filter(({ subject }) => subject === second.session.id)
    assert.equal(ended?.details.reason, 'signed out at the issuer')
    assert.equal((await wl.get('/v1/me')).status, 200)
  })

  it('stores no secret of a browser', async () => {
    const { link, browser } = await attempt(stage, 'ada')
    const rows = JSON.stringify(await rowsOf(stage.wl, 'select * from console_links'))
    assert.ok(rows.includes(stage.provider.issuer))
    for (const [name, value] of browser.cookies) if (name.includes('worklore')) assert.ok(!rows.includes(value))
    assert.ok(!rows.includes(link!))
  })
})
