import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { requireMetricsAccess } from './metrics-access.js'

const mayRead = (host: string, metricsToken: string | undefined, authorization?: string): boolean => {
  try {
    requireMetricsAccess({ host, metricsToken }, authorization)
    return true
  } catch (error) {
    assert.equal((error as { code: string }).code, 'UNAUTHORIZED')
    return false
  }
}

describe('the figures', () => {
  it('are open without a token on loopback alone', () => {
    for (const host of ['127.0.0.1', '127.8.9.1', '::1', 'localhost', '::ffff:127.0.0.1']) {
      assert.ok(mayRead(host, undefined), host)
    }
    for (const host of ['0.0.0.0', '::', '10.1.2.3', 'example.com', '1270.0.0.1']) {
      assert.ok(!mayRead(host, undefined), host)
      assert.ok(!mayRead(host, undefined, 'Bearer undefined'), host)
    }
  })

  it('are for whoever has the token', () => {
    for (const host of ['127.0.0.1', '0.0.0.0']) {
      assert.ok(mayRead(host, 'secret', 'Bearer secret'))
      for (const wrong of [undefined, '', 'secret', 'Bearer secre', 'Bearer secrets', 'bearer  secret']) {
        assert.ok(!mayRead(host, 'secret', wrong), wrong)
      }
    }
  })
})
