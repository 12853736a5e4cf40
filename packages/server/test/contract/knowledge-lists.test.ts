import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { expectInvalid, expectStatus } from 'worklore-testing/expect'
import { createProject, putItem } from 'worklore-testing/factories'
import { describeTenant } from 'worklore-testing/service-suite'

describeTenant('lists of knowledge', (wl) => {
  let one: { id: string }
  const tenantKeys = ['a', 'a/b', 'a/b/c', 'ab', 'B', '100%', '100x', 'x_y', 'xay', 'é', '日本', '🙂', '\u{10ffff}']

  before(async () => {
    one = await createProject(wl, { key: 'ONE' })
    await createProject(wl, { key: 'TWO' })
    for (const key of tenantKeys) await putItem(wl, encodeURIComponent(key), `content of ${key}`)
    await putItem(wl, 'a/b', 'of one', { projectId: 'ONE' })
    await putItem(wl, 'only-one', 'of one', { projectId: 'ONE' })
    await putItem(wl, 'a', 'of two', { projectId: 'TWO' })
  })

  const keysOf = async (query: string): Promise<string[]> => {
    const { body } = expectStatus(await wl.get(`/v1/knowledge?${query}`), 200)
    return body.data.map(({ key }: { key: string }) => key)
  }
  const byBytes = (keys: string[]) => [...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))

  it('are ordered by key and hold whole items', async () => {
    const { body } = expectStatus(await wl.get('/v1/knowledge'), 200)
    assert.deepEqual(await keysOf(''), byBytes([...tenantKeys, 'a/b', 'only-one', 'a']))
    assert.deepEqual(body.pagination, { limit: 100, hasMore: false, nextCursor: null })
    assert.deepEqual(body.data[0], (await wl.get(`/v1/knowledge/${encodeURIComponent('100%')}`)).body.data)
  })

  it('can be of one project, of the tenant or of all projects', async () => {
    assert.deepEqual(await keysOf('projectId=ONE'), ['a/b', 'only-one'])
    assert.deepEqual(await keysOf(`projectId=${one.id}&prefix=only`), ['only-one'])
    assert.deepEqual(await keysOf('scope=tenant'), byBytes(tenantKeys))
    assert.deepEqual(await keysOf('scope=project'), ['a', 'a/b', 'only-one'])
    assert.deepEqual(await keysOf('scope=all'), await keysOf(''))
  })

  it('take a prefix literally', async () => {
    assert.deepEqual(await keysOf('scope=tenant&prefix=a'), ['a', 'a/b', 'a/b/c', 'ab'])
    assert.deepEqual(await keysOf('scope=tenant&prefix=a/'), ['a/b', 'a/b/c'])
    assert.deepEqual(await keysOf('scope=tenant&prefix=100%25'), ['100%'])
    assert.deepEqual(await keysOf('scope=tenant&prefix=x_'), ['x_y'])
    assert.deepEqual(await keysOf('scope=tenant&prefix=%25'), [])
    assert.deepEqual(await keysOf('scope=tenant&prefix=b'), [])
    assert.deepEqual(await keysOf(`scope=tenant&prefix=${encodeURIComponent('日')}`), ['日本'])
    assert.deepEqual(await keysOf(`scope=tenant&prefix=${encodeURIComponent('\u{10ffff}')}`), ['\u{10ffff}'])
    assert.deepEqual(await keysOf(`scope=tenant&prefix=${encodeURIComponent('\ud7ff')}`), [])
    assert.equal((await keysOf('scope=tenant&prefix=')).length, tenantKeys.length)
  })

  it('leave the content out when only keys are asked for', async () => {
    const { body } = expectStatus(await wl.get('/v1/knowledge?fields=key&prefix=ab'), 200)
    assert.deepEqual([body.data.length, body.data[0].key, 'content' in body.data[0]], [1, 'ab', false])
  })

  it('page by cursor while others write', async () => {
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = expectStatus(await wl.get(`/v1/knowledge?limit=2${cursor && `&cursor=${cursor}`}`), 200)
      seen.push(...body.data.map((item: { key: string; projectId: string }) => `${item.key} ${item.projectId}`))
      assert.equal(body.pagination.hasMore, body.pagination.nextCursor !== null)
      cursor = body.pagination.nextCursor
      await putItem(wl, '0-before-all', `written after ${seen.length}`)
    }
    assert.equal(seen.length, tenantKeys.length + 3)
    assert.equal(new Set(seen).size, seen.length)
    await wl.delete('/v1/knowledge/0-before-all')
  })

  it('bind a cursor to their filters', async () => {
    const { nextCursor } = (await wl.get('/v1/knowledge?limit=1&prefix=a')).body.pagination
    expectStatus(await wl.get(`/v1/knowledge?prefix=a&cursor=${nextCursor}`), 200)
    for (const query of ['', 'prefix=x&', 'prefix=a&scope=tenant&', 'prefix=a&projectId=ONE&']) {
      expectInvalid(await wl.get(`/v1/knowledge?${query}cursor=${nextCursor}`), 'cursor')
    }
    for (const cursor of ['x', '', 'W10']) expectInvalid(await wl.get(`/v1/knowledge?cursor=${cursor}`), 'cursor')
  })

  it('refuse what cannot be meant', async () => {
    const refused: [query: string, path: string][] = [
      ['limit=0', 'limit'],
      ['limit=501', 'limit'],
      ['scope=mine', 'scope'],
      ['scope=tenant&projectId=ONE', 'scope'],
      ['projectId=NOPE', 'projectId'],
      ['fields=content', 'fields'],
      ['page=1', 'page'],
      ['prefix=%00', 'prefix'],
    ]
    for (const [query, path] of refused) expectInvalid(await wl.get(`/v1/knowledge?${query}`), path)
    expectStatus(await wl.get('/v1/knowledge?limit=500'), 200)
  })
})
