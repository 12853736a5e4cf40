import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { it } from 'node:test'
import { SignJWT } from 'jose'
import { openStream } from 'worklore-testing/event-stream'
import { expectError, expectStatus } from 'worklore-testing/expect'
import { send } from 'worklore-testing/harness'
import { generations } from 'worklore-testing/mcp-clients'
import { describeSignIn, nowSeconds, type SignedChange, signedIn, signToken } from './stage.js'

describeSignIn('access tokens of an issuer', (stage) => {
  const tokenOf = (...change: SignedChange) => signToken(stage, ...change)

  const withClaims = { email: 'ada@example.com', email_verified: true, name: 'Ada' }
  const me = async (token: string) => stage.wl.get('/v1/me', { key: token })

  it('act as their user, by the rules of sign-in', async () => {
    const { data } = expectStatus(await me(await tokenOf(withClaims)), 200).body
    assert.deepEqual([data.user.email, data.scopes], ['ada@example.com', ['tasks:write', 'knowledge:write']])
    // Known by now, whatever else the token says.
    const plain = expectStatus(await me(await tokenOf()), 200).body.data
    assert.deepEqual([plain.user.id, plain.key.id], [data.user.id, data.key.id])
    stage.provider.accounts.set('ada', withClaims)
    assert.equal((await signedIn(stage, 'ada')).session.keyId, data.key.id)
    const created = await stage.wl.post('/v1/tasks', { projectId: 'NONE', title: 'x' }, { key: await tokenOf() })
    expectError(created, 'VALIDATION_ERROR')
  })

  it('are taken wherever a key is', async () => {
    const { wl } = stage
    expectStatus(await wl.post('/v1/projects', { key: 'TOK', name: 'Tokens' }), 201)
    const token = await tokenOf(withClaims)
    const operations = [{ method: 'POST', path: '/v1/tasks', body: { projectId: 'TOK', title: 'Batch' } }]
    expectStatus(await wl.post('/v1/batch', { operations }, { key: token }), 200)
    for (const { connect } of generations) {
      const client = await connect(wl, token)
      assert.equal((await client.call('list_tasks')).isError, false)
      await client.close()
    }
    const stream = await openStream(`${wl.baseUrl}/v1/events/stream`, token)
    assert.equal(stream.status, 200)
    await wl.post('/v1/tasks', { projectId: 'TOK', title: 'Seen' })
    await stream.until(1)
    stream.close()
  })

  it('are refused for a wrong issuer, audience, time, signature or algorithm', async () => {
    const { wl, provider } = stage
    const stranger = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey
    const secret = new TextEncoder().encode(provider.clientSecret)
    const [head, body] = (await tokenOf()).split('.')
    const none = Buffer.from('{"alg":"none"}').toString('base64url')
    const symmetric = new SignJWT({ iss: provider.issuer, aud: wl.baseUrl, sub: 'ada', exp: nowSeconds() + 60 })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(secret)
    const wrong: Record<string, Promise<string> | string> = {
      issuer: tokenOf({ iss: 'https://issuer.example' }),
      'issuer with a slash': tokenOf({ iss: `${provider.issuer}/` }),
      audience: tokenOf({ aud: 'https://other.example' }),
      'client as audience': tokenOf({ aud: provider.clientId }),
      'no audience': tokenOf({ aud: undefined }),
      'no subject': tokenOf({ sub: undefined }),
      'empty subject': tokenOf({ sub: '', ...withClaims }),
      'subject that is no text': tokenOf({ sub: 7, ...withClaims }),
      'bound to a key of its client': tokenOf({ cnf: { jkt: 'x' } }),
      'proof of a key': tokenOf({}, { typ: 'dpop+jwt' }),
      'logout token': tokenOf({}, { typ: 'logout+jwt' }),
      'logout token by its claims': tokenOf({ events: {} }),
      'ID token': tokenOf({}, { typ: 'id_token+jwt' }),
      'ID token by its claims': tokenOf({ at_hash: 'x' }, { typ: 'JWT' }),
      'ID token of Keycloak': tokenOf({ typ: 'ID' }, { typ: 'JWT' }),
      'no end': tokenOf({ exp: undefined }),
      'not yet': tokenOf({ nbf: nowSeconds() + 86_400 }),
      signature: tokenOf({}, {}, stranger),
      'another key': tokenOf({}, { kid: 'made-up' }, stranger),
      'changed claims': `${head}.${Buffer.from('{"iss":1}').toString('base64url')}.x`,
      'no algorithm': `${none}.${body}.x`,
      symmetric,
      nonsense: 'eyJ.eyJ.eyJ',
    }
    for (const [what, token] of Object.entries(wrong)) {
      const answer = await me(await token)
      assert.equal(expectError(answer, 'UNAUTHORIZED').reason, 'invalid', what)
      const metadata = `${wl.baseUrl}/.well-known/oauth-protected-resource`
      assert.equal(answer.headers['www-authenticate'], `Bearer error="invalid_token", resource_metadata="${metadata}"`)
    }
    assert.equal(expectError(await me(await tokenOf({ exp: nowSeconds() - 61 })), 'UNAUTHORIZED').reason, 'expired')
  })

  it('may be of the plain type, or of none', async () => {
    for (const typ of ['JWT', 'application/at+jwt', undefined]) {
      expectStatus(await me(await tokenOf(withClaims, { typ })), 200)
    }
  })

  it('may be off by up to a minute', async () => {
    expectStatus(await me(await tokenOf({ exp: nowSeconds() - 50 })), 200)
    expectStatus(await me(await tokenOf({ nbf: nowSeconds() + 50, iat: nowSeconds() + 50 })), 200)
    const token = await tokenOf({ exp: nowSeconds() + 100 })
    expectStatus(await me(token), 200)
    stage.wl.passTime(161_000)
    try {
      expectError(await me(token), 'UNAUTHORIZED')
    } finally {
      stage.wl.passTime(-161_000)
    }
  })

  it('for MCP alone are taken there alone', async () => {
    const { wl } = stage
    const token = await tokenOf({ aud: `${wl.baseUrl}/mcp` })
    const client = await generations[0].connect(wl, token)
    assert.equal((await client.call('list_tasks')).isError, false)
    await client.close()
    expectError(await me(token), 'UNAUTHORIZED')
    expectStatus(await me(await tokenOf({ aud: [`${wl.baseUrl}/mcp`, wl.baseUrl] })), 200)
  })

  it('of users who are refused answer 403, in the audit log of the tenant', async () => {
    const { wl } = stage
    const answer = await me(await tokenOf({ sub: 'nobody', email: 'nobody@elsewhere.org', email_verified: true }))
    const error = expectError(answer, 'FORBIDDEN')
    assert.deepEqual([error.reason, error.refusal], ['sign_in', 'unknown'])
    await wl.service.core.refusals.flush()
    const { data } = (await wl.get('/v1/audit?action=auth.failed')).body
    assert.ok(data.some(({ details }: { details: { refusal?: string } }) => details.refusal === 'unknown'))
    expectError(await me(await tokenOf({ sub: 'x'.repeat(256), ...withClaims })), 'FORBIDDEN')
    expectError(await me(await tokenOf({ sub: 'a\u0000b', ...withClaims })), 'FORBIDDEN')
  })

  it('end with the key of their user', async () => {
    const { wl } = stage
    const token = await tokenOf({ sub: 'dora', email: 'dora@example.com', email_verified: true })
    const { data } = expectStatus(await me(token), 200).body
    expectStatus(await wl.delete(`/v1/keys/${data.key.id}`), 200)
    expectError(await me(token), 'FORBIDDEN')
  })

  it('make no key that outlasts them', async () => {
    const { wl } = stage
    const token = await tokenOf({ sub: 'root', email: 'root@example.com', email_verified: true })
    const { data } = expectStatus(await me(token), 200).body
    await wl.patch(`/v1/users/${data.user.id}`, { role: 'admin' })
    const lasting = { name: 'lasting', scopes: ['admin'] }
    expectError(await wl.post('/v1/keys', lasting, { key: token }), 'FORBIDDEN')
    const expiresAt = new Date(Date.now() + 60_000).toISOString()
    expectStatus(await wl.post('/v1/keys', { ...lasting, expiresAt }, { key: token }), 201)
  })

  it('signed with a new key are taken at once, and made-up keys ask the issuer a few times only', async () => {
    const { provider } = stage
    const before = await tokenOf()
    provider.rotateKeys()
    expectStatus(await me(await tokenOf()), 200)
    expectError(await me(`${before}`), 'UNAUTHORIZED')
    const asked = provider.requestCount('/jwks')
    const stranger = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey
    for (let at = 0; at < 40; at++) {
      const answer = await me(await tokenOf({}, { kid: `made-up-${at}` }, stranger))
      assert.ok([401, 429].includes(answer.status), String(answer.status))
    }
    assert.ok(provider.requestCount('/jwks') - asked <= 6, `${provider.requestCount('/jwks') - asked} requests`)
    expectStatus(await me(await tokenOf()), 200)
  })

  it('that end sessions are taken only as logout tokens', async () => {
    const { wl, provider } = stage
    provider.accounts.set('ada', withClaims)
    const ada = await signedIn(stage, 'ada')
    const event = 'http://schemas.openid.net/event/backchannel-logout'
    const right = { aud: provider.clientId, jti: 'first', events: { [event]: {} } }
    const post = (token: string) =>
      send(wl.baseUrl, 'POST', '/console/oidc/logout', {
        rawBody: `logout_token=${token}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
    const stranger = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey
    const wrong = [
      tokenOf({ ...right, aud: wl.baseUrl }),
      tokenOf({ ...right, events: {} }),
      tokenOf({ ...right, events: undefined }),
      tokenOf({ ...right, nonce: 'x' }),
      tokenOf({ ...right, sub: undefined }),
      tokenOf({ ...right, iat: nowSeconds() - 3_600 }),
      tokenOf({ ...right, iss: 'https://issuer.example' }),
      tokenOf(right, {}, stranger),
      '',
    ]
    for (const token of wrong) assert.equal((await post(await token)).status, 400)
    expectStatus(await ada.get('/v1/me'), 200)
    assert.equal((await post(await tokenOf({ ...right, jti: 'other', sub: 'somebody-else' }))).status, 200)
    assert.equal((await post(await tokenOf({ ...right, jti: 'another', sid: 'another-session' }))).status, 200)
    expectStatus(await ada.get('/v1/me'), 200)
    // Without a session of the issuer, it ends all of the user.
    assert.equal((await post(await tokenOf(right))).status, 200)
    expectError(await ada.get('/v1/me'), 'UNAUTHORIZED')
    expectError(await me(await tokenOf(right)), 'UNAUTHORIZED')
  })

  it('are described for clients', async () => {
    const { wl, provider } = stage
    for (const path of ['', '/mcp']) {
      const { body } = expectStatus(await wl.get(`/.well-known/oauth-protected-resource${path}`, { key: null }), 200)
      assert.equal(body.resource, wl.baseUrl + path)
      assert.deepEqual(body.authorization_servers, [provider.issuer])
    }
    const refused = await wl.request('POST', '/mcp', { key: null, body: {} })
    const metadata = `${wl.baseUrl}/.well-known/oauth-protected-resource/mcp`
    assert.equal(refused.headers['www-authenticate'], `Bearer resource_metadata="${metadata}"`)
  })
})
