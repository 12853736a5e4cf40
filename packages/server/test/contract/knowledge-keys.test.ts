import assert from 'node:assert/strict'
import { it } from 'node:test'
import { expectError, expectInvalid, expectStatus } from 'worklore-testing/expect'
import { putItem } from 'worklore-testing/factories'
import { describeTenant } from 'worklore-testing/service-suite'

const rawPath = (key: string): string => key.split('/').map(encodeURIComponent).join('/')

describeTenant('knowledge keys', (wl) => {
  it('are the same item with raw and with encoded slashes', async () => {
    await putItem(wl, 'guides/setup/linux', 'raw')
    for (const path of [
      'guides%2Fsetup%2Flinux',
      'guides%2fsetup/linux',
      'guides/setup%2Flinux',
      '%67uides/setup/linux',
    ]) {
      assert.equal((await wl.get(`/v1/knowledge/${path}`)).body.data.key, 'guides/setup/linux')
      expectStatus(await wl.put(`/v1/knowledge/${path}`, { content: 'raw' }), 200)
    }
    assert.deepEqual((await wl.delete('/v1/knowledge/guides%2Fsetup%2Flinux')).body.data.key, 'guides/setup/linux')
  })

  it('may have any text that is not a control character', async () => {
    const keys = [
      '100%',
      'a_b',
      'what?',
      'c#',
      'c++',
      'two words',
      ' outer spaces ',
      'a&b=c;d:e@f,g$h!',
      '日本/語',
      '🙂/𝒳',
      'é',
      'e\u0301',
      '%2F',
      'a%2Fb',
      '%25',
      '%zz',
      '\\back\\slash',
      '"quotes"',
      "o'clock",
      '...',
      '.hidden',
      'a/..b',
      'v1/knowledge/v1',
      'searches',
      'search/deep',
      'deep/search',
      'Search',
      '__proto__',
      'constructor',
      '*',
      ':key',
    ]
    for (const key of keys) {
      const answer = expectStatus(await wl.put(`/v1/knowledge/${encodeURIComponent(key)}`, { content: key }), 201)
      assert.equal(answer.body.data.key, key)
      assert.equal(answer.headers.location, `/v1/knowledge/${rawPath(key)}`)
    }
    for (const key of keys) {
      for (const path of [encodeURIComponent(key), rawPath(key)]) {
        const { body } = expectStatus(await wl.get(`/v1/knowledge/${path}`), 200)
        assert.deepEqual([body.data.key, body.data.content], [key, key])
      }
    }
    for (const key of keys) {
      assert.equal((await wl.delete(`/v1/knowledge/${encodeURIComponent(key)}`)).body.data.key, key)
    }
  })

  it('keep their case, which is significant', async () => {
    await putItem(wl, 'Case', 'upper')
    expectError(await wl.get('/v1/knowledge/case'), 'NOT_FOUND')
    assert.equal((await wl.get('/v1/knowledge/Case')).body.data.key, 'Case')
  })

  it('take a plus as it stands and a question mark only encoded', async () => {
    await putItem(wl, 'a+b', 'x')
    assert.equal((await wl.get('/v1/knowledge/a%2Bb')).body.data.key, 'a+b')
    expectInvalid(await wl.get('/v1/knowledge/a+b?c'), 'c')
  })

  it('have 1 to 512 bytes of UTF-8', async () => {
    const longest = encodeURIComponent(`${'日'.repeat(170)}ab`)
    expectStatus(await wl.put(`/v1/knowledge/${longest}`, { content: 'x' }), 201)
    expectStatus(await wl.get(`/v1/knowledge/${longest}`), 200)
    for (const path of [`${longest}c`, 'k'.repeat(513), 'k'.repeat(9_000), '']) {
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const body = method === 'PUT' ? { content: 'x' } : undefined
        expectInvalid(await wl.request(method, `/v1/knowledge/${path}`, { body }), 'key')
      }
    }
  })

  it('have no empty, "." or ".." segment, no slash at an end and no control character', async () => {
    const refused = ['/a', 'a/', 'a//b', '/', '.', '..', 'a/./b', 'a/../b', '../a', 'a/..', '%2Fa', 'a%2F', '%2e%2e/a']
    const controls = ['a%00', 'a%09b', 'a%0Ab', '%1F', '%7F', '%C2%85']
    for (const path of [...refused, ...controls]) {
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const body = method === 'PUT' ? { content: 'x' } : undefined
        expectInvalid(await wl.request(method, `/v1/knowledge/${path}`, { body }), 'key')
      }
    }
  })

  it('are valid percent-encoded UTF-8', async () => {
    for (const path of ['%', '%zz', 'a%2', '%ff', '%ED%A0%80', '%C0%AF']) {
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const body = method === 'PUT' ? { content: 'x' } : undefined
        expectError(await wl.request(method, `/v1/knowledge/${path}`, { body }), 'VALIDATION_ERROR')
      }
    }
  })

  it('leave "search" alone to the search', async () => {
    for (const path of ['search', '%73earch']) {
      expectInvalid(await wl.put(`/v1/knowledge/${path}`, { content: 'x' }), 'key')
      expectInvalid(await wl.delete(`/v1/knowledge/${path}`), 'key')
    }
  })
})
