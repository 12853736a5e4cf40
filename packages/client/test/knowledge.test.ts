import assert from 'node:assert/strict'
import { it } from 'node:test'
import { until } from 'worklore-testing/until'
import { ConflictError, PreconditionFailedError, ValidationError } from '../src/index.js'
import { onEveryEngine } from './on-every-engine.js'

const legalKeys = [
  'guides',
  'guides/setup/linux',
  'a b/c+d/e&f=g',
  'what?/is#this',
  '100%/50%25/%2F/%2e%2e',
  'back\\slash/semi;colon/colon:/at@',
  '...',
  '.hidden/..twice/dot.',
  'quotes\'"`/<tags>/[brackets]/{braces}|^~',
  'ünïcödé/日本語/🙂/é',
  ' leading and trailing ',
  'search/it',
  '*',
  'x'.repeat(512),
]

onEveryEngine('knowledge', (stage) => {
  it('reaches any legal key', async () => {
    const { wl } = stage
    for (const key of legalKeys) {
      const content = `About ${key}`
      assert.equal((await wl.knowledge.put(key, { content })).key, key)
      assert.equal((await wl.knowledge.get(key)).content, content)
    }
    const ids = new Map<string, string>()
    for await (const { key, id } of wl.knowledge.list({ fields: 'key', limit: 3 })) ids.set(key, id)
    assert.deepEqual([...ids.keys()].toSorted(), legalKeys.toSorted())
    for (const key of legalKeys) {
      assert.deepEqual(await wl.knowledge.delete(key), { id: ids.get(key), key, deleted: true })
    }
  })

  it('refuses a key that would lead to another address before anything is sent', async () => {
    const { wl, proxy } = stage
    const sent = proxy.requests.length
    for (const key of ['', '/', 'a//b', '/a', 'a/', '.', '..', 'a/../../tasks', 'a/./b', 'lone \ud800']) {
      await assert.rejects(wl.knowledge.get(key), ValidationError, JSON.stringify(key))
      await assert.rejects(wl.knowledge.put(key, { content: '' }), ValidationError)
      await assert.rejects(wl.knowledge.delete(key), ValidationError)
    }
    for (const id of ['', '.', '..']) await assert.rejects(wl.tasks.get(id), ValidationError)
    assert.equal(proxy.requests.length, sent)
    await assert.rejects(wl.tasks.get('../knowledge'), (error: Error) => error.name === 'NotFoundError')
    assert.equal(proxy.requests.at(-1)!.path, '/v1/tasks/..%2Fknowledge')
  })

  it('keeps the items of a project and of the tenant apart', async () => {
    const { wl } = stage
    const project = await wl.projects.create({ key: 'ACME', name: 'Acme' })
    await wl.knowledge.put('guides/setup', { content: 'for all' })
    await wl.knowledge.put('guides/setup', { content: 'for Acme', projectId: 'ACME' })
    assert.equal((await wl.knowledge.get('guides/setup')).content, 'for all')
    const own = await wl.knowledge.get('guides/setup', { projectId: 'ACME' })
    assert.deepEqual([own.content, own.projectId], ['for Acme', project.id])
    const { data } = await wl.knowledge.list({ projectId: 'ACME' })
    assert.deepEqual(data, [own])

    await wl.projects.create({ key: 'OTHER', name: 'Other' })
    await wl.knowledge.put('guides/setup', { content: 'for Other', projectId: 'OTHER' })
    await wl.knowledge.delete('guides/setup')
    await assert.rejects(wl.knowledge.get('guides/setup'), (error) => {
      assert.ok(error instanceof ConflictError && Array.isArray(error.candidates))
      return true
    })
  })

  it('creates only, or changes only at a version', async () => {
    const { wl } = stage
    const item = await wl.knowledge.put('notes/once', { content: 'one' }, { ifNoneMatch: '*' })
    await assert.rejects(
      wl.knowledge.put('notes/once', { content: 'two' }, { ifNoneMatch: '*' }),
      PreconditionFailedError,
    )
    const changed = await wl.knowledge.put('notes/once', { content: 'two' }, { ifMatch: item })
    await assert.rejects(wl.knowledge.put('notes/once', { content: 'three' }, { ifMatch: item }), (error) => {
      assert.ok(error instanceof PreconditionFailedError)
      assert.equal(error.currentVersion, changed.version)
      return true
    })
    await assert.rejects(wl.knowledge.delete('notes/once', { ifMatch: 1 }), PreconditionFailedError)
    await wl.knowledge.delete('notes/once', { ifMatch: changed })
  })

  it('lets many write into one item by a function and loses none of them', async () => {
    const { wl } = stage
    await wl.knowledge.put('notes/log', { content: '', projectId: 'ACME' })
    await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        wl.knowledge.update('notes/log', ({ content }) => ({ content: `${content}${index}\n` }), { projectId: 'ACME' }),
      ),
    )
    const { content } = await wl.knowledge.get('notes/log', { projectId: 'ACME' })
    assert.deepEqual(
      content
        .trim()
        .split('\n')
        .map(Number)
        .toSorted((a, b) => a - b),
      [...Array(8).keys()],
    )
  })

  it('tells what a task relied on, and lets it be accepted', async () => {
    const { wl } = stage
    await wl.projects.create({ key: 'REL', name: 'Relied on' })
    await wl.knowledge.put('rel/source', { content: 'text' })
    const { id } = await wl.tasks.create({ projectId: 'REL', title: 'Built on it' })
    const claim = await wl.tasks.claim(id)
    await claim.fenced().knowledge.get('rel/source')
    await claim.fenced().knowledge.put('rel/product', { content: 'text' })
    const relied = await until(
      async () => (await wl.tasks.basis(id)).data,
      (found) => found.length > 0,
    )
    assert.deepEqual(
      relied.map(({ key, version, state }) => [key, version, state]),
      [['rel/source', 1, 'current']],
    )
    const { data } = await wl.knowledge.dependents('rel/source')
    assert.deepEqual(
      data.map(({ task, key }) => task ?? key),
      [id, 'rel/product'],
    )
    await wl.knowledge.delete('rel/source')
    const product = await until(
      () => wl.knowledge.get('rel/product'),
      ({ stale }) => stale.length > 0,
    )
    assert.equal(product.stale[0]?.why, 'deleted')
    assert.deepEqual((await wl.tasks.acceptStale(id)).stale, [])
    assert.deepEqual((await wl.knowledge.acceptStale('rel/product')).stale, [])
    await claim.release()
  })
})
