import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { expectError, expectStatus } from 'worklore-testing/expect'
import { send, startService, type TestService } from 'worklore-testing/harness'

const html = { accept: 'text/html,application/xhtml+xml' }

describe('the files of the web console', () => {
  const folder = mkdtempSync(join(tmpdir(), 'worklore-test-'))
  const page = '<!doctype html><title>Worklore</title>'
  let wl: TestService
  before(async () => {
    mkdirSync(join(folder, 'assets'))
    writeFileSync(join(folder, 'index.html'), page)
    writeFileSync(join(folder, 'favicon.svg'), '<svg/>')
    writeFileSync(join(folder, 'assets', 'index-4f3a.js'), 'export {}\n'.repeat(500))
    wl = await startService(engines[0]!, { consoleFolder: folder })
  })
  after(async () => {
    await wl.stop()
    rmSync(folder, { recursive: true })
  })
  const get = (path: string, headers: Record<string, string> = {}) => send(wl.baseUrl, 'GET', path, { headers })

  it('are a page for every address of the app, under a strict policy', async () => {
    for (const path of [
      '/console/',
      '/console/p/ACME/board?task=ACME-8',
      '/console/k/guides/a.b',
      '/console/index.html',
      '/console/k/100%',
    ]) {
      const { text, headers } = expectStatus(await get(path), 200)
      assert.equal(text, page)
      assert.equal(headers['content-type'], 'text/html; charset=utf-8')
      assert.equal(headers['cache-control'], 'no-cache')
      const policy = String(headers['content-security-policy']).split('; ')
      for (const directive of [
        "default-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        'trusted-types worklore-worker',
      ]) {
        assert.ok(policy.includes(directive), directive)
      }
      assert.doesNotMatch(policy.join(), /unsafe/)
      assert.equal(headers['x-content-type-options'], 'nosniff')
      assert.equal(headers['referrer-policy'], 'no-referrer')
      assert.equal(headers['x-ratelimit-limit'], undefined)
    }
    assert.equal(expectStatus(await get('/console'), 302).headers.location, '/console/')
  })

  it('are kept for good where their names have a hash, and compressed', async () => {
    const { headers, text } = expectStatus(await get('/console/assets/index-4f3a.js'), 200)
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
    assert.equal(headers['content-type'], 'text/javascript; charset=utf-8')
    assert.equal(text.length, 5_000)
    const compressed = await fetch(`${wl.baseUrl}/console/assets/index-4f3a.js`, {
      headers: { 'accept-encoding': 'br' },
    })
    assert.equal(compressed.headers.get('content-encoding'), 'br')
    assert.equal(await compressed.text(), text)
    const again = await get('/console/favicon.svg')
    expectStatus(await get('/console/favicon.svg', { 'if-none-match': String(again.headers.etag) }), 304)
  })

  it('are none outside of their folder', async () => {
    expectError(await get('/console/assets/index-0000.js'), 'NOT_FOUND')
    for (const path of [
      '/console/../package.json',
      '/console/%2e%2e/%2e%2e/etc/passwd',
      '/console/..%2f..%2fetc%2fpasswd',
    ]) {
      const answer = await get(path)
      assert.ok(answer.status === 404 || answer.text === page, path)
    }
  })

  it('are where a browser lands', async () => {
    assert.equal(expectStatus(await get('/', html), 302).headers.location, '/console/')
    assert.equal((await get('/')).body.console, '/console/')
  })
})

describe('a service without the web console', () => {
  let wl: TestService
  before(async () => {
    wl = await startService(engines[0]!, { consoleFolder: null })
  })
  after(() => wl.stop())

  it('says how to build it, and leads browsers to the docs', async () => {
    for (const path of ['/console/', '/console/p/ACME/board', '/console/assets/x.js']) {
      assert.match(expectError(await send(wl.baseUrl, 'GET', path), 'NOT_FOUND').message, /npm run build/)
    }
    const root = await send(wl.baseUrl, 'GET', '/', { headers: html })
    assert.equal(root.headers.location, '/docs')
  })
})
