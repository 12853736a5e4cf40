import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { expectInvalid, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask, putItem } from 'worklore-testing/factories'
import { describeTenant } from 'worklore-testing/service-suite'

interface Hit {
  key: string
  foundBy?: string
  score: number
  state: string
}

describeTenant('search for what holds', (wl) => {
  const search = async (q: string, more = ''): Promise<Hit[]> => {
    const answer = await wl.get(`/v1/knowledge/search?q=${encodeURIComponent(q)}${more}`)
    expectStatus(answer, 200)
    return answer.body.data
  }
  const found = async (q: string, more = '') =>
    (await search(q, more)).map(({ key, foundBy }) => (foundBy === undefined ? key : `${key} by ${foundBy}`))
  const retract = (key: string, reason: string | null) => wl.post('/v1/knowledge/retract', { key, reason })
  const past = '2020-01-01T00:00:00.000Z'

  before(async () => {
    await createProject(wl, { key: 'ACME' })
    await createProject(wl, { key: 'BETA' })
  })

  it('answers the end of a chain for what it superseded, with the better score', async () => {
    await putItem(wl, 'deploy/one', 'The staging cluster is deployed by Jenkins')
    const [alone] = await search('staging cluster jenkins')
    await putItem(wl, 'deploy/two', 'Releases are rolled out with Argo', { supersedes: ['deploy/one'] })
    await putItem(wl, 'deploy/three', 'Flux brings new versions', { supersedes: ['deploy/two'] })
    const [hit, ...others] = await search('staging cluster jenkins')
    assert.deepEqual([hit!.key, hit!.foundBy, hit!.state, others], ['deploy/three', 'deploy/one', 'current', []])
    assert.ok(Math.abs(hit!.score - alone!.score) < 0.2, `${hit!.score} ${alone!.score}`)
    assert.deepEqual(await found('flux argo'), ['deploy/three by deploy/two'])
    assert.deepEqual(await found('flux'), ['deploy/three'])
    assert.deepEqual(await found('deploy/one'), ['deploy/three by deploy/one'])
    assert.deepEqual(await found('"staging cluster"'), ['deploy/three by deploy/one'])
    const everything = (await wl.get('/v1/search?q=staging%20cluster%20jenkins')).body.data
    assert.deepEqual(
      everything.map(({ key, foundBy }: Hit) => [key, foundBy]),
      [['deploy/three', 'deploy/one']],
    )
  })

  it('filters the knowledge of a search for everything', async () => {
    await createTask(wl, 'ACME', { title: 'Paint the lighthouse' })
    await putItem(wl, 'lighthouse/red', 'Paint the lighthouse red', { tags: ['paint'] })
    const { version } = await putItem(wl, 'lighthouse/blue', 'Paint the lighthouse blue')
    const verdict = { key: 'lighthouse/blue', version, trust: 'disputed' }
    expectStatus(await wl.post('/v1/knowledge/verdict', verdict), 200)
    await putItem(wl, 'lighthouse/grey', 'Paint the lighthouse grey')
    expectStatus(await retract('lighthouse/grey', 'Red'), 200)
    const all = async (more: string) => {
      const { data } = expectStatus(await wl.get(`/v1/search?q=paint%20lighthouse${more}`), 200).body
      return data.map(({ kind, key }: Hit & { kind: string }) => key ?? kind).sort()
    }
    assert.deepEqual(await all(''), ['lighthouse/blue', 'lighthouse/red', 'task'])
    assert.deepEqual(await all('&tag=paint'), ['lighthouse/red', 'task'])
    assert.deepEqual(await all('&trust=disputed'), ['lighthouse/blue', 'task'])
    assert.deepEqual(await all('&state=retracted'), ['lighthouse/grey', 'task'])
    assert.deepEqual(await all('&state=all&in=knowledge'), ['lighthouse/blue', 'lighthouse/grey', 'lighthouse/red'])
    assert.deepEqual(await all('&in=tasks&tag=paint'), ['task'])
    expectInvalid(await wl.get('/v1/search?q=x&state=gone'), 'state')
  })

  it('shows hits with state, trust, title and tags', async () => {
    const fields = { title: 'Espresso machine', tags: ['kitchen', 'manual'] }
    const { id, version } = await putItem(wl, 'machine', 'Descale it monthly', fields)
    const verdict = { key: 'machine', version, trust: 'disputed', note: 'Weekly' }
    expectStatus(await wl.post('/v1/knowledge/verdict', verdict), 200)
    const [hit] = await search('descale')
    const { score, updatedAt, snippet, passages, ...rest } = hit as Hit & {
      updatedAt: string
      snippet: string
      passages: object[]
    }
    assert.deepEqual(rest, {
      id,
      key: 'machine',
      ...fields,
      content: 'Descale it monthly',
      projectId: null,
      version: version + 1,
      state: 'current',
      trust: 'disputed',
    })
    assert.equal(snippet, '<mark>Descale</mark> it monthly')
    assert.equal(passages.length, 1)
    for (const q of ['espresso', 'kitchen', '"espresso machine"']) assert.deepEqual(await found(q), ['machine'], q)
  })

  it('leaves out what expired or was retracted, at the end of a chain too', async () => {
    await putItem(wl, 'zeppelin/a', 'zeppelin hangar')
    await putItem(wl, 'zeppelin/b', 'zeppelin mast', { supersedes: ['zeppelin/a'], validUntil: past })
    assert.deepEqual(await found('zeppelin'), [])
    await wl.patch('/v1/knowledge/zeppelin/b', { validUntil: null })
    assert.deepEqual((await found('zeppelin')).length, 1)
    await retract('zeppelin/b', 'wrong')
    assert.deepEqual(await found('zeppelin'), ['zeppelin/a'])
    await retract('zeppelin/b', null)
    assert.deepEqual(await found('hangar'), ['zeppelin/b by zeppelin/a'])
    await wl.delete('/v1/knowledge/zeppelin/b')
    assert.deepEqual(await found('zeppelin'), ['zeppelin/a'])
  })

  it('searches by state', async () => {
    await putItem(wl, 'quokka/old', 'quokka one')
    await putItem(wl, 'quokka/new', 'quokka two', { supersedes: ['quokka/old'] })
    await putItem(wl, 'quokka/over', 'quokka three', { validUntil: past })
    await putItem(wl, 'quokka/gone', 'quokka four')
    await retract('quokka/gone', 'wrong')
    const byState = async (state: string) => (await search('quokka', `&state=${state}`)).map(({ key }) => key).sort()
    assert.deepEqual(await byState('current'), ['quokka/new'])
    assert.deepEqual(await byState('superseded'), ['quokka/old'])
    assert.deepEqual(await byState('expired'), ['quokka/over'])
    assert.deepEqual(await byState('retracted'), ['quokka/gone'])
    assert.deepEqual(await byState('all'), ['quokka/gone', 'quokka/new', 'quokka/old', 'quokka/over'])
    assert.deepEqual((await search('quokka', '&state=all')).map(({ state }) => state).sort(), [
      'current',
      'expired',
      'retracted',
      'superseded',
    ])
    expectInvalid(await wl.get('/v1/knowledge/search?q=x&state=none'), 'state')
  })

  it('filters the answer by tag and trust, and the match by prefix', async () => {
    await putItem(wl, 'emu/first', 'emu plumage', { tags: ['bird'] })
    const { version } = await putItem(wl, 'emu-2', 'ostrich', { tags: ['fast'], supersedes: ['emu/first'] })
    await wl.post('/v1/knowledge/verdict', { key: 'emu-2', version, trust: 'disputed' })
    const hit = ['emu-2 by emu/first']
    assert.deepEqual(await found('plumage', '&tag=fast'), hit)
    assert.deepEqual(await found('plumage', '&tag=bird'), [])
    assert.deepEqual(await found('plumage', '&trust=disputed'), hit)
    assert.deepEqual(await found('plumage', '&trust=unreviewed'), [])
    assert.deepEqual(await found('plumage', '&prefix=emu/'), hit)
    assert.deepEqual(await found('plumage', '&prefix=emu-2'), [])
    assert.deepEqual(await found('plumage', '&tag=bird&state=all'), ['emu/first'])
  })

  it('follows an item that is renamed, and never leaves the project', async () => {
    await putItem(wl, 'ibis/a', 'ibis habitat', { projectId: 'ACME' })
    await putItem(wl, 'ibis/b', 'marshes', { projectId: 'ACME', supersedes: ['ibis/a'] })
    await putItem(wl, 'ibis/b', 'the ibis of beta', { projectId: 'BETA' })
    expectStatus(await wl.post('/v1/knowledge/move', { from: 'ibis/b', to: 'ibis/c', projectId: 'ACME' }), 200)
    assert.deepEqual(await found('habitat'), ['ibis/c by ibis/a'])
    const { key } = await createKey(wl, { scopes: ['knowledge:read'], projectIds: ['BETA'] })
    const limited = await wl.get('/v1/knowledge/search?q=ibis%20habitat', { key })
    assert.deepEqual(
      limited.body.data.map(({ key, projectId }: { key: string; projectId: string }) => [key, projectId !== null]),
      [['ibis/b', true]],
    )
  })

  it('has as many hits as are wanted where most items do not hold', async () => {
    const writes: { method: string; path: string; body: object }[] = []
    for (let at = 0; at < 30; at++) {
      const put = (key: string, body: object) =>
        writes.push({ method: 'PUT', path: `/v1/knowledge/walrus/${at}/${key}`, body })
      put('a', { content: `walrus ${at} walrus walrus` })
      put('b', { content: `walrus ${at} and seals walrus`, supersedes: [`walrus/${at}/a`] })
      put('c', { content: `seals ${at}`, supersedes: [`walrus/${at}/b`] })
      put('d', { content: `walrus ${at} walrus`, validUntil: past })
      put('e', { content: `walrus ${at} walrus`, validUntil: past })
    }
    for (let at = 0; at < writes.length; at += 50) {
      expectStatus(await wl.post('/v1/batch', { operations: writes.slice(at, at + 50) }), 200)
    }
    for (const limit of [1, 7, 30, 40]) {
      const hits = await search('walrus', `&limit=${limit}`)
      assert.equal(new Set(hits.map(({ key }) => key)).size, Math.min(limit, 30))
      for (const { key, foundBy } of hits) assert.match(`${key} ${foundBy}`, /^walrus\/(\d+)\/c walrus\/\1\/a$/)
    }
  })

  it('names current items of the place that say the same when one is written', async () => {
    const content = 'Rotate the signing certificate every ninety days'
    await putItem(wl, 'certs/a', content)
    await putItem(wl, 'certs/b', `${content}!`, { projectId: 'ACME' })
    await putItem(wl, 'certs/c', content, { validUntil: past })
    const body = { content, checkDuplicates: true }
    const put = (key: string, more: object = {}) => wl.put(`/v1/knowledge/${key}`, { ...body, ...more })
    const created = await put('certs/d')
    expectStatus(created, 201)
    assert.deepEqual(Object.keys(created.body.similar[0]), ['key', 'score', 'snippet'])
    const keysOf = (answer: typeof created) => answer.body.similar.map(({ key }: { key: string }) => key)
    assert.deepEqual(keysOf(created), ['certs/a'])
    assert.deepEqual(keysOf(await put('certs/e', { projectId: 'ACME' })), ['certs/b'])
    assert.deepEqual(keysOf(await put('certs/d', { supersedes: ['certs/a'] })), [])
    assert.deepEqual(keysOf(await put('certs/f', { content: 'Nothing like it' })), [])
    assert.equal((await wl.put('/v1/knowledge/certs/g', { content })).body.similar, undefined)
    await putItem(wl, 'certs/policy', 'See the security handbook', { supersedes: ['certs/d'] })
    const [successor] = (await put('certs/i')).body.similar.filter(({ key }: Hit) => key === 'certs/policy')
    assert.match(successor.foundBy, /^certs\/[ad]$/, 'one of the superseded items is the near-duplicate')
    const batch = await wl.post('/v1/batch', { operations: [{ method: 'PUT', path: '/v1/knowledge/certs/h', body }] })
    expectInvalid(batch, 'checkDuplicates')
    expectStatus(await wl.get('/v1/knowledge/certs/h'), 404)
  })

  it('leaves out of what is similar what does not hold', async () => {
    const similarTo = async (key: string) =>
      (await wl.get(`/v1/knowledge/${key}?similar=true`)).body.similar.map((item: { key: string }) => item.key)
    await putItem(wl, 'lynx/a', '# Lynx tracking collars')
    await putItem(wl, 'lynx/b', '# Tracking collars of the lynx')
    assert.deepEqual(await similarTo('lynx/a'), ['lynx/b'])
    await wl.patch('/v1/knowledge/lynx/a', { supersedes: ['lynx/b'] })
    assert.deepEqual(await similarTo('lynx/a'), [])
    assert.deepEqual(await similarTo('lynx/b'), ['lynx/a'])
    await retract('lynx/a', 'wrong')
    assert.deepEqual(await similarTo('lynx/b'), [])
  })
})
