import assert from 'node:assert/strict'
import { it } from 'node:test'
import { expectError, expectStatus } from 'worklore-testing/expect'
import { send } from 'worklore-testing/harness'
import { describeService } from 'worklore-testing/service-suite'

describeService(
  'the root',
  (wl) => {
    const get = (path: string, accept?: string) =>
      send(wl.baseUrl, 'GET', path, accept === undefined ? {} : { headers: { accept } })

    it('leads a browser to the docs', async () => {
      const { headers } = expectStatus(await get('/', 'text/html,application/xhtml+xml,*/*;q=0.8'), 302)
      assert.equal(headers.location, '/docs')
      assert.match(expectStatus(await get('/docs', 'text/html'), 200).text, /<html/i)
    })

    it('tells a program where things are, without a key and uncounted', async () => {
      for (const accept of [undefined, '*/*', 'application/json']) {
        const { body, headers } = expectStatus(await get('/', accept), 200)
        assert.equal(body.name, 'worklore')
        assert.equal(headers['x-ratelimit-limit'], undefined)
        for (const place of [body.docs, body.openapi, body.health, body.readiness, body.metrics]) {
          expectStatus(await get(place), 200)
        }
      }
    })

    it('is only read', async () => {
      expectError(await send(wl.baseUrl, 'POST', '/'), 'METHOD_NOT_ALLOWED')
    })
  },
  { consoleFolder: null },
)
