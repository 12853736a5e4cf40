import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { send, startService, type TestService } from 'worklore-testing/harness'

const origin = 'https://app.example.com'

describe('headers for browsers', () => {
  let closed: TestService
  let open: TestService
  before(async () => {
    closed = await startService(engines[0]!)
    open = await startService(engines[0]!, { config: { corsOrigins: [origin] } })
  })
  after(async () => {
    await closed.stop()
    await open.stop()
  })

  it('keep pages from being framed, sniffed or fed foreign scripts', async () => {
    for (const path of ['/docs', '/docs/static/index.html', '/docs/static/swagger-ui-bundle.js', '/docs/json']) {
      const { headers } = await closed.get(path, { key: null })
      assert.match(headers['content-security-policy'] as string, /default-src 'self'.*frame-ancestors 'none'/, path)
      assert.match(headers['content-security-policy'] as string, /^(?!.*unsafe)/, path)
      assert.equal(headers['x-content-type-options'], 'nosniff', path)
      assert.equal(headers['x-frame-options'], 'SAMEORIGIN', path)
      assert.equal(headers['referrer-policy'], 'no-referrer', path)
      assert.equal(headers['x-powered-by'], undefined)
    }
  })

  it('keep every other answer from being sniffed', async () => {
    for (const path of ['/v1/tasks', '/v1/none', '/healthz', '/openapi.json', '/none']) {
      assert.equal((await closed.get(path)).headers['x-content-type-options'], 'nosniff', path)
    }
  })

  it('let no other origin in unless it is configured', async () => {
    for (const wl of [closed, open]) {
      const { headers } = await wl.get('/v1/tasks', { headers: { origin: 'https://evil.example.com' } })
      assert.equal(headers['access-control-allow-origin'], undefined)
    }
    assert.equal(
      (await closed.get('/v1/tasks', { headers: { origin } })).headers['access-control-allow-origin'],
      undefined,
    )
  })

  it('let a configured origin in, with a preflight that needs no key', async () => {
    const { headers } = await open.get('/v1/tasks', { headers: { origin } })
    assert.equal(headers['access-control-allow-origin'], origin)
    assert.equal(headers.vary, 'Origin, Authorization, Cookie')
    assert.match(headers['access-control-expose-headers'] as string, /X-RateLimit-Remaining.*Retry-After/)
    const preflight = await send(open.baseUrl, 'OPTIONS', '/v1/tasks/ACME-1', {
      headers: { origin, 'access-control-request-method': 'PATCH', 'access-control-request-headers': 'authorization' },
    })
    assert.equal(preflight.status, 204)
    assert.match(preflight.headers['access-control-allow-methods'] as string, /PATCH/)
    assert.match(preflight.headers['access-control-allow-headers'] as string, /Authorization.*Idempotency-Key/)
    assert.ok(preflight.headers['x-ratelimit-limit'])
  })
})
