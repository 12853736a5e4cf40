import assert from 'node:assert/strict'
import { it } from 'node:test'
import { addKey, addLink, type Browser, cookieOf, sameOrigin, signIn, trade } from 'worklore-testing/console-session'
import { expectError, expectInvalid, expectStatus } from 'worklore-testing/expect'
import { rowsOf, send } from 'worklore-testing/harness'
import { describeService } from 'worklore-testing/service-suite'

const hourMs = 3_600_000

const statusOf = async (browser: Browser): Promise<number> => (await browser.get('/v1/me')).status

describeService('sessions of the web console', (wl) => {
  const auditOf = async (subject: string): Promise<{ action: string; via: string; details: { reason?: string } }[]> => {
    const { data } = (await wl.get('/v1/audit?action=session.*&limit=100')).body
    return data.filter((entry: { subject: string }) => entry.subject === subject)
  }

  it('are opened with a key, in two halves', async () => {
    const { id, key } = await addKey(wl, { name: 'console' })
    const answer = expectStatus(await trade(wl, { key }), 201)
    const { secret, ...session } = answer.body.data
    assert.match(secret, /^wl_session_\w{32}$/)
    assert.deepEqual([session.keyId, session.keyName, session.current], [id, 'console', true])
    assert.equal(Date.parse(session.expiresAt) - Date.parse(session.createdAt), 12 * hourMs)
    assert.equal(answer.headers['cache-control'], 'no-store')
    const [name, ...attributes] = answer.headers['set-cookie']![0]!.split('; ')
    assert.match(name!, new RegExp(`^worklore_${new URL(wl.baseUrl).port}=[\\w.]+$`))
    assert.ok(!name!.includes(secret))
    for (const attribute of ['HttpOnly', 'SameSite=Strict', 'Path=/']) assert.ok(attributes.includes(attribute))
    assert.ok(!attributes.includes('Secure'))
  })

  it('act as their key, through the console', async () => {
    const { id, key } = await addKey(wl, { name: 'overseer' })
    const browser = await signIn(wl, { key })
    const { data: me } = expectStatus(await browser.get('/v1/me'), 200).body
    assert.deepEqual([me.key.id, me.scopes, me.session.id], [id, ['admin'], browser.session.id])
    assert.equal((await wl.get('/v1/me')).body.data.session, null)
    expectStatus(await browser.post('/v1/projects', { key: 'DOOR', name: 'Door' }), 201)
    const [event] = (await wl.get('/v1/events?order=desc&limit=1')).body.data
    assert.deepEqual([event.type, event.via, event.actor.keyId], ['project.created', 'console', id])
    const [opened] = await auditOf(browser.session.id)
    assert.deepEqual([opened?.action, opened?.via], ['session.created', 'console'])
  })

  it('are opened with a link, once', async () => {
    const { id } = await addKey(wl)
    const link = await addLink(wl, id)
    const browser = await signIn(wl, { link })
    assert.equal(browser.session.keyId, id)
    assert.equal(expectError(await trade(wl, { link }), 'UNAUTHORIZED').reason, 'invalid')
    assert.equal(await statusOf(browser), 200)
  })

  it('of another person are replaced by a link only on demand, and the link stays good', async () => {
    const user = expectStatus(await wl.post('/v1/users', { name: 'Ada', role: 'admin' }), 201).body.data
    const [mine, alsoMine, theirs] = await Promise.all([
      addKey(wl, { userId: user.id }),
      addKey(wl, { userId: user.id }),
      addKey(wl, { name: 'theirs' }),
    ])
    const browser = await signIn(wl, { key: mine.key })
    expectStatus(await trade(wl, { link: await addLink(wl, alsoMine.id) }, browser.headers), 201)
    const link = await addLink(wl, theirs.id)
    const error = expectError(await trade(wl, { link }, browser.headers), 'CONFLICT')
    assert.equal(error.reason, 'session')
    assert.match(error.message, /"theirs"/)
    assert.equal(await statusOf(browser), 200)
    expectStatus(await trade(wl, { link, replace: true }, browser.headers), 201)
  })

  it('come of a link only for one of those who use it at once', async () => {
    const { id } = await addKey(wl)
    const link = await addLink(wl, id)
    const answers = await Promise.all(Array.from({ length: 5 }, () => trade(wl, { link })))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 401, 401, 401, 401])
  })

  it('come of no link that is expired, or whose key was revoked or rotated', async () => {
    const { id } = await addKey(wl)
    const late = await addLink(wl, id)
    wl.passTime(10 * 60_000)
    expectError(await trade(wl, { link: late }), 'UNAUTHORIZED')
    const ofRotated = await addLink(wl, id)
    expectStatus(await wl.post(`/v1/keys/${id}/rotate`, { overlapSeconds: 60 }), 200)
    expectError(await trade(wl, { link: ofRotated }), 'UNAUTHORIZED')
    const ofRevoked = await addLink(wl, id)
    await wl.delete(`/v1/keys/${id}`)
    expectError(await trade(wl, { link: ofRevoked }), 'UNAUTHORIZED')
  })

  it('come of a link that lasts for up to 7 days, where it says so', async () => {
    const { id } = await addKey(wl)
    const issue = (expiresInSeconds: unknown) => wl.post(`/v1/keys/${id}/console-link`, { expiresInSeconds })
    const days = 7 * 86_400
    for (const wrong of [days + 1, 59, 60.5, '600']) expectInvalid(await issue(wrong), 'expiresInSeconds')
    const beganMs = wl.service.core.clock()
    const [used, late] = [expectStatus(await issue(days), 200), expectStatus(await issue(days), 200)]
    const lastsMs = Date.parse(used.body.data.expiresAt) - days * 1_000
    assert.ok(lastsMs >= beganMs && lastsMs <= wl.service.core.clock())
    wl.passTime((days - 60) * 1_000)
    expectStatus(await trade(wl, { link: used.body.data.link }), 201)
    wl.passTime(60_000)
    expectError(await trade(wl, { link: late.body.data.link }), 'UNAUTHORIZED')
  })

  it('come of nothing else', async () => {
    expectInvalid(await trade(wl, {}), '')
    expectInvalid(await trade(wl, { key: wl.adminKey, link: 'x' }), '')
    expectInvalid(await trade(wl, { key: wl.adminKey, password: 'x' }), 'password')
    expectInvalid(await trade(wl, { key: 1 }), 'key')
    expectInvalid(await trade(wl, undefined), '')
    for (const link of ['wl_link_', 'x', `wl_link_${'a'.repeat(20)}_${'b'.repeat(32)}`]) {
      assert.equal(expectError(await trade(wl, { link }), 'UNAUTHORIZED').reason, 'invalid')
    }
    assert.equal(expectError(await trade(wl, { key: 'no-such-key'.repeat(4) }), 'UNAUTHORIZED').reason, 'invalid')
    expectError(await trade(wl, { key: 'x'.repeat(5_000) }), 'PAYLOAD_TOO_LARGE')
  })

  it('keep hashes only', async () => {
    const { id, key } = await addKey(wl)
    const link = await addLink(wl, id)
    const browser = await signIn(wl, { key })
    const sessions = JSON.stringify(await rowsOf(wl, 'select * from console_sessions'))
    const links = JSON.stringify(await rowsOf(wl, 'select * from console_links'))
    assert.ok(sessions.includes(browser.session.id))
    for (const text of [browser.secret, browser.cookie.split('=')[1]!, link])
      assert.ok(!(sessions + links).includes(text))
  })

  it('end by signing out', async () => {
    const browser = await signIn(wl)
    const answer = expectStatus(await browser.request('DELETE', '/console/session'), 200)
    assert.deepEqual(answer.body.data, { id: browser.session.id, deleted: true })
    assert.match(answer.headers['set-cookie']![0]!, /=; .*Max-Age=0/)
    expectError(await browser.get('/v1/me'), 'UNAUTHORIZED')
    const again = await browser.request('DELETE', '/console/session')
    expectError(again, 'UNAUTHORIZED')
    assert.match(again.headers['set-cookie']![0]!, /=; .*Max-Age=0/)
    assert.equal((await auditOf(browser.session.id))[0]?.details.reason, 'signed out')
  })

  it('last 12 hours from their last use', async () => {
    const { key } = await addKey(wl)
    const [used, unused] = [await signIn(wl, { key }), await signIn(wl, { key })]
    for (let hours = 0; hours < 14; hours += 7) {
      wl.passTime(7 * hourMs)
      assert.equal(await statusOf(used), 200)
      await wl.service.core.sessionsUsed.flush()
    }
    assert.equal(await statusOf(unused), 401)
    const { data } = (await used.get('/v1/sessions')).body
    assert.ok(!data.some(({ id }: { id: string }) => id === unused.session.id))
    const own = data.find(({ current }: { current: boolean }) => current)
    assert.equal(Date.parse(own.expiresAt) - Date.parse(own.lastUsedAt), 12 * hourMs)
  })

  it('are at most 10 a key: the oldest ends', async () => {
    const { id, key } = await addKey(wl)
    const browsers: Browser[] = []
    for (let at = 0; at < 12; at++) browsers.push(await signIn(wl, { key }))
    const statuses = []
    for (const browser of browsers) statuses.push(await statusOf(browser))
    assert.deepEqual(statuses, [401, 401, ...Array(10).fill(200)])
    assert.equal((await wl.get(`/v1/sessions?keyId=${id}`)).body.data.length, 10)
    assert.equal((await auditOf(browsers[0]!.session.id))[0]?.action, 'session.ended')
  })

  it('are at most 10 a key however many are opened at once', async () => {
    const { id, key } = await addKey(wl)
    const answers = await Promise.all(Array.from({ length: 30 }, () => trade(wl, { key })))
    assert.ok(answers.every(({ status }) => status === 201))
    assert.equal((await wl.get(`/v1/sessions?keyId=${id}&limit=100`)).body.data.length, 10)
  })

  it('are listed and ended by an admin, and by their own key', async () => {
    const reader = await addKey(wl, { scopes: ['tasks:read'] })
    const other = await addKey(wl, { scopes: ['tasks:read'] })
    const [own, foreign] = [await signIn(wl, reader), await signIn(wl, other)]
    const listed = expectStatus(await own.get('/v1/sessions'), 200).body.data
    assert.deepEqual(
      listed.map(({ id }: { id: string }) => id),
      [own.session.id],
    )
    assert.deepEqual((await own.get(`/v1/sessions?keyId=${other.id}`)).body.data, [])
    expectError(await own.request('DELETE', `/v1/sessions/${foreign.session.id}`), 'NOT_FOUND')
    expectStatus(await own.request('DELETE', `/v1/sessions/${own.session.id}`), 200)
    assert.deepEqual([await statusOf(own), await statusOf(foreign)], [401, 200])
    expectStatus(await wl.delete(`/v1/sessions/${foreign.session.id}`), 200)
    assert.equal(await statusOf(foreign), 401)
    expectError(await wl.delete(`/v1/sessions/${foreign.session.id}`), 'NOT_FOUND')
  })

  it('are listed page by page, the newest first', async () => {
    const { id, key } = await addKey(wl)
    const opened: string[] = []
    for (let at = 0; at < 5; at++) opened.unshift((await signIn(wl, { key })).session.id)
    const listed: string[] = []
    for (let cursor = ''; cursor !== 'null'; ) {
      const { data, pagination } = (await wl.get(`/v1/sessions?keyId=${id}&limit=2${cursor && `&cursor=${cursor}`}`))
        .body
      listed.push(...data.map((session: { id: string }) => session.id))
      cursor = String(pagination.nextCursor)
    }
    assert.deepEqual(listed.toSorted(), opened.toSorted())
  })

  it('end with their key', async () => {
    const revoked = await addKey(wl)
    const ofRevoked = await signIn(wl, revoked)
    await wl.delete(`/v1/keys/${revoked.id}`)
    assert.equal(await statusOf(ofRevoked), 401)
    assert.equal((await auditOf(ofRevoked.session.id))[0]?.details.reason, 'key revoked')

    const ending = await addKey(wl, { expiresAt: new Date(wl.service.core.clock() + hourMs).toISOString() })
    const ofEnding = await signIn(wl, ending)
    assert.ok(Date.parse(ofEnding.session.expiresAt) <= wl.service.core.clock() + hourMs)
    wl.passTime(hourMs)
    assert.equal(await statusOf(ofEnding), 401)
  })

  it('end with the old secret of a key that is rotated, but for the one that rotates it', async () => {
    const { id, key } = await addKey(wl)
    const [own, other] = [await signIn(wl, { key }), await signIn(wl, { key })]
    expectStatus(await own.post(`/v1/keys/${id}/rotate`, { overlapSeconds: 120 }), 200)
    assert.deepEqual([await statusOf(own), await statusOf(other)], [200, 200])
    const ofOldSecret = await signIn(wl, { key })
    wl.passTime(60_000)
    assert.deepEqual([await statusOf(other), await statusOf(ofOldSecret)], [200, 200])
    wl.passTime(60_000)
    assert.deepEqual([await statusOf(own), await statusOf(other), await statusOf(ofOldSecret)], [200, 401, 401])
    expectStatus(await own.post(`/v1/keys/${id}/rotate`, {}), 200)
    assert.equal(await statusOf(own), 200)
  })

  it('may do what their key may', async () => {
    await wl.post('/v1/projects', { key: 'MINE', name: 'Mine' })
    await wl.post('/v1/projects', { key: 'THEIRS', name: 'Theirs' })
    const reader = await signIn(wl, await addKey(wl, { scopes: ['tasks:read'], projectIds: ['MINE'] }))
    assert.equal((await reader.get('/v1/me')).body.data.projects.length, 1)
    expectStatus(await reader.get('/v1/tasks/cards?projectId=MINE'), 200)
    expectError(await reader.get('/v1/tasks/cards?projectId=THEIRS'), 'FORBIDDEN')
    expectError(await reader.get('/v1/tasks/counts?projectId=THEIRS'), 'FORBIDDEN')
    const refused = expectError(await reader.post('/v1/tasks', { projectId: 'MINE', title: 'x' }), 'FORBIDDEN')
    assert.equal(refused.requiredScope, 'tasks:write')
    for (const path of ['/v1/keys', '/v1/audit']) expectError(await reader.get(path), 'FORBIDDEN')
    expectError(await reader.post(`/v1/keys/${reader.session.keyId}/console-link`, {}), 'FORBIDDEN')
  })

  it('make keys that last longer than they do, and none that lasts longer than their key', async () => {
    const lasting = await signIn(wl, await addKey(wl))
    expectStatus(await lasting.post('/v1/keys', { name: 'new', scopes: ['admin'] }), 201)
    const expiresAt = new Date(wl.service.core.clock() + hourMs).toISOString()
    const ending = await signIn(wl, await addKey(wl, { expiresAt }))
    expectError(await ending.post('/v1/keys', { name: 'new', scopes: ['admin'] }), 'FORBIDDEN')
    const { id } = await addKey(wl)
    expectError(await ending.post(`/v1/keys/${id}/console-link`, {}), 'FORBIDDEN')
  })

  it('keep to the addresses of their key', async () => {
    const elsewhere = await addKey(wl, { allowedAddresses: ['203.0.113.7'] })
    assert.equal(expectError(await trade(wl, { key: elsewhere.key }), 'FORBIDDEN').reason, 'address')
    const link = await addLink(wl, elsewhere.id)
    assert.equal(expectError(await trade(wl, { link }), 'FORBIDDEN').reason, 'address')
  })

  it('name their cookie by port, so that services on one host do not sign each other out', async () => {
    const answer = await send(wl.baseUrl, 'POST', '/console/session', {
      body: { key: wl.adminKey },
      headers: { ...sameOrigin, host: 'localhost:4711' },
    })
    assert.match(cookieOf(expectStatus(answer, 201)), /^worklore_4711=/)
  })
})

describeService(
  'sessions behind TLS',
  (wl) => {
    const host = 'worklore.example.com'

    it('have a secure cookie of this host alone', async () => {
      const answer = expectStatus(await trade(wl, { key: wl.adminKey }, { ...sameOrigin, host }), 201)
      assert.match(
        answer.headers['set-cookie']![0]!,
        /^__Host-worklore_443=\S+; Path=\/; HttpOnly; SameSite=Strict; Secure/,
      )
      const headers = { ...sameOrigin, host, cookie: cookieOf(answer), 'worklore-session': answer.body.data.secret }
      expectStatus(await send(wl.baseUrl, 'GET', '/v1/me', { headers }), 200)
      const origin = { host, origin: `https://${host}`, cookie: cookieOf(answer) }
      const withOrigin = { ...origin, 'worklore-session': answer.body.data.secret }
      expectStatus(await send(wl.baseUrl, 'GET', '/v1/me', { headers: withOrigin }), 200)
    })
  },
  { config: { publicUrl: 'https://worklore.example.com' } },
)
