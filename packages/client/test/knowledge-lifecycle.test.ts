import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createKey } from 'worklore-testing/factories'
import { ConflictError, ForbiddenError, NotFoundError, PreconditionFailedError } from '../src/index.js'
import { onEveryEngine } from './on-every-engine.js'

onEveryEngine('the lifecycle of knowledge', (stage) => {
  it('sets fields beside the content, and changes them without it', async () => {
    const { wl } = stage
    const fields = { title: 'Setup', tags: ['linux'], source: 'https://example.com', metadata: { a: 1, b: 2 } }
    const item = await wl.knowledge.put('guides/setup', { content: 'One', ...fields })
    assert.deepEqual([item.title, item.tags, item.source, item.metadata], Object.values(fields))
    const again = await wl.knowledge.put('guides/setup', { content: 'Two' })
    assert.deepEqual([again.title, again.tags], ['Setup', ['linux']])

    const patched = await wl.knowledge.patch(
      'guides/setup',
      { title: null, metadata: { a: null }, validUntil: '2020-01-01' },
      { ifMatch: again },
    )
    assert.deepEqual([patched.title, patched.metadata, patched.content], [null, { b: 2 }, 'Two'])
    assert.equal(patched.state, 'expired')
    await assert.rejects(wl.knowledge.patch('guides/setup', { title: 'x' }, { ifMatch: item }), PreconditionFailedError)

    const updates = ['a', 'b', 'c', 'd'].map((tag) =>
      wl.knowledge.update('guides/setup', ({ tags }) => ({ tags: [...tags, tag] })),
    )
    await Promise.all(updates)
    const { tags, content } = await wl.knowledge.get('guides/setup')
    assert.deepEqual([tags.toSorted(), content], [['a', 'b', 'c', 'd', 'linux'], 'Two'])
  })

  it('does not take the write of another for its own after a lost answer', async () => {
    const { wl, proxy } = stage
    const item = await wl.knowledge.put('lost/tags', { content: 'x', tags: ['a'] })
    proxy.queue.push('reset, lost')
    const own = await wl.knowledge.put('lost/tags', { content: 'x', tags: ['b'] }, { ifMatch: item })
    assert.deepEqual([own.tags, own.version], [['b'], 2])
    await wl.knowledge.patch('lost/tags', { tags: ['of another'] })
    proxy.queue.push('reset')
    const refused = await wl.knowledge
      .put('lost/tags', { content: 'x', tags: ['c'] }, { ifMatch: own })
      .catch((error) => error)
    assert.ok(refused instanceof PreconditionFailedError)
    assert.equal(refused.isAfterLostAnswer, true)
  })

  it('lets another key verify or dispute the version that it read', async () => {
    const { wl, service, clientWith } = stage
    const { key } = await createKey(service, { scopes: ['knowledge:write'] })
    const reviewer = clientWith({ apiKey: key })
    await wl.projects.create({ key: 'REVIEW', name: 'Review' })
    const item = await wl.knowledge.put('facts/port', { content: '8787', projectId: 'REVIEW' })
    await assert.rejects(wl.knowledge.verify(item), (error) => {
      assert.ok(error instanceof ForbiddenError)
      assert.equal(error.reason, 'verifier')
      return true
    })
    const verified = await reviewer.knowledge.verify(item, { note: 'Tried it' })
    assert.deepEqual([verified.trust, verified.verdict?.note, verified.verdict?.version], ['verified', 'Tried it', 1])
    await assert.rejects(reviewer.knowledge.dispute(item), PreconditionFailedError)
    const disputed = await wl.knowledge.dispute(verified, { note: 'It moved' })
    assert.equal(disputed.trust, 'disputed')
    const { version } = disputed
    const unreviewed = await wl.knowledge.judge({ key: 'facts/port', version, trust: 'unreviewed' })
    assert.deepEqual([unreviewed.trust, unreviewed.verdict], ['unreviewed', null])
  })

  it('supersedes, retracts and takes it back, also in a batch', async () => {
    const { wl } = stage
    await wl.knowledge.put('plan/1', { content: 'First' })
    await wl.knowledge.put('plan/2', { content: 'Second', supersedes: ['plan/1'] })
    const old = await wl.knowledge.get('plan/1')
    assert.deepEqual([old.state, old.supersededBy], ['superseded', 'plan/2'])
    await assert.rejects(wl.knowledge.put('plan/3', { content: 'Third', supersedes: ['plan/1'] }), (error) => {
      assert.ok(error instanceof ConflictError)
      assert.equal(error.existing, 'plan/2')
      return true
    })
    const retracted = await wl.knowledge.retract('plan/2', 'Cancelled')
    assert.deepEqual([retracted.state, retracted.retraction?.reason], ['retracted', 'Cancelled'])
    assert.equal((await wl.knowledge.get('plan/1')).state, 'current')
    const [back, titled] = await wl.batch((batch) => [
      batch.knowledge.retract('plan/2', null),
      batch.knowledge.patch('plan/2', { title: 'The plan' }),
    ])
    assert.deepEqual([back.state, titled.title], ['current', 'The plan'])
    const keys: string[] = []
    for await (const { key } of wl.knowledge.list({ prefix: 'plan/', state: 'superseded' })) keys.push(key)
    assert.deepEqual(keys, ['plan/1'])
  })

  it('lists links page by page, and says where an item was moved', async () => {
    const { wl } = stage
    await wl.knowledge.put('links/a', { content: 'See [[links/b]], [[links/c]] and [[links/none]].' })
    await wl.knowledge.put('links/b', { content: 'B', title: 'The second' })
    await wl.knowledge.put('links/c', { content: 'See [b](links/b).' })
    const out: unknown[] = []
    for await (const { key, exists } of wl.knowledge.links({ key: 'links/a', limit: 1 })) out.push([key, exists])
    assert.deepEqual(out, [
      ['links/b', true],
      ['links/c', true],
      ['links/none', false],
    ])
    const { data } = await wl.knowledge.links({ key: 'links/b', direction: 'in' })
    assert.deepEqual(
      data.map(({ key }) => key),
      ['links/a', 'links/c'],
    )
    await wl.knowledge.move({ from: 'links/b', to: 'moved/b' })
    await assert.rejects(wl.knowledge.get('links/b'), (error) => {
      assert.ok(error instanceof NotFoundError)
      assert.deepEqual(error.movedTo, { key: 'moved/b', projectId: null })
      return true
    })
  })

  it('gives what is similar only where it was asked for', async () => {
    const { wl } = stage
    const item = await wl.knowledge.put('twins/a', { content: 'The service listens on port 8787' })
    assert.ok(!('similar' in item))
    const body = { content: 'Port 8787 is where the service listens', checkDuplicates: true as const }
    assert.ok(Array.isArray((await wl.knowledge.put('twins/b', body)).similar))
  })
})
