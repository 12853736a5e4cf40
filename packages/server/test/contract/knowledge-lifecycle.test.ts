import assert from 'node:assert/strict'
import { it } from 'node:test'
import { expectError, expectInvalid, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, putItem } from 'worklore-testing/factories'
import { describeService } from 'worklore-testing/service-suite'

const scopes = ['knowledge:write']

describeService('the lifecycle of knowledge', (wl) => {
  const path = (key: string, query = '') => `/v1/knowledge/${key}${query}`
  const get = async (key: string, query = '') => expectStatus(await wl.get(path(key, query)), 200).body.data
  const patch = async (key: string, body: object, query = '') =>
    expectStatus(await wl.patch(path(key, query), body), 200).body.data
  const retract = async (key: string, reason: string | null) =>
    expectStatus(await wl.post('/v1/knowledge/retract', { key, reason }), 200).body.data
  const states = async (...keys: string[]) => {
    const found = []
    for (const key of keys) found.push((await get(key)).state)
    return found
  }
  let passedMs = 0
  const pass = (seconds: number): void => {
    wl.passTime(seconds * 1_000)
    passedMs += seconds * 1_000
  }
  const soon = (seconds: number): string => new Date(Date.now() + passedMs + seconds * 1_000).toISOString()
  const restoreFromTrash = async (key: string) => {
    const { data } = (await wl.get('/v1/trash')).body
    const { id } = data.find(({ title }: { title: string }) => title === key)
    return expectStatus(await wl.post(`/v1/trash/${id}/restore`, {}), 200).body.data
  }

  it('has fields that PUT and PATCH set, leave alone and clear', async () => {
    const fields = { title: ' Setup ', tags: ['b', 'a', 'b'], metadata: { os: 'linux' }, source: 'a wiki' }
    const item = await putItem(wl, 'fields', 'text', { ...fields, validUntil: '2099-01-01' })
    assert.deepEqual([item.title, item.tags, item.metadata], ['Setup', ['b', 'a'], { os: 'linux' }])
    assert.equal(item.validUntil, '2099-01-01T00:00:00.000Z')
    const replaced = await putItem(wl, 'fields', 'other text')
    assert.deepEqual([replaced.version, replaced.title, replaced.source], [2, 'Setup', 'a wiki'])
    const patched = await patch('fields', { metadata: { os: null, arch: 'arm64' }, source: null, validUntil: null })
    assert.deepEqual(
      [patched.version, patched.metadata, patched.source, patched.validUntil, patched.content],
      [3, { arch: 'arm64' }, null, null, 'other text'],
    )
    assert.equal((await patch('fields', { tags: ['b', 'a'] })).version, 3, 'the same is no change')
    assert.equal((await putItem(wl, 'fields', 'other text')).version, 3)
    assert.equal((await patch('fields', { content: 'third' })).version, 4)
    const cleared = await patch('fields', { tags: null, metadata: null, supersedes: null })
    assert.deepEqual([cleared.tags, cleared.metadata, cleared.supersedes, cleared.version], [[], {}, [], 5])
    const old = await get('fields', '?version=1')
    assert.deepEqual([old.title, old.content, old.state, old.stale], ['Setup', 'text', 'current', []])
    const { data } = (await wl.get('/v1/history?knowledge=fields')).body
    assert.deepEqual(
      data.map(({ changes }: { changes: object }) => Object.keys(changes)),
      [
        ['tags', 'metadata'],
        ['content'],
        ['metadata', 'source', 'validUntil'],
        ['content'],
        ['title', 'tags', 'metadata', 'source', 'validUntil', 'content'],
      ],
    )
  })

  it('refuses what it cannot take and writes nothing', async () => {
    await putItem(wl, 'bad', 'text')
    const twentyOne = Array.from({ length: 21 }, (_, at) => `k${at}`)
    for (const [body, field] of [
      [{ title: '' }, 'title'],
      [{ title: 'x'.repeat(201) }, 'title'],
      [{ tags: ['a,b'] }, 'tags.0'],
      [{ tags: [' '] }, 'tags.0'],
      [{ source: 'x'.repeat(2_001) }, 'source'],
      [{ validUntil: 'tomorrow' }, 'validUntil'],
      [{ metadata: { text: 'x'.repeat(16_384) } }, 'metadata'],
      [{ supersedes: twentyOne }, 'supersedes'],
      [{ supersedes: ['nobody/wrote/this'] }, 'supersedes.0'],
      [{ supersedes: ['/'] }, 'supersedes.0'],
      [{ trust: 'verified' }, 'trust'],
      [{ state: 'current' }, 'state'],
    ] as const) {
      expectInvalid(await wl.patch(path('bad'), body), field)
      expectInvalid(await wl.put(path('bad'), { content: 'other', ...body }), field)
    }
    const wrong = await wl.patch(path('bad'), { title: 'x'.repeat(201), supersedes: ['/', 'good', 'a//b'] })
    const paths = wrong.body.error.details.map((detail: { path: string }) => detail.path)
    assert.deepEqual(paths, ['title', 'supersedes.0', 'supersedes.2'])
    expectError(await wl.patch(path('nobody'), { title: 'x' }), 'NOT_FOUND')
    expectError(await wl.patch(path('bad'), { title: 'x' }, { headers: { 'if-match': '"9"' } }), 'PRECONDITION_FAILED')
    expectInvalid(await wl.post('/v1/knowledge/retract', { key: 'bad', reason: ' ' }), 'reason')
    expectInvalid(await wl.post('/v1/knowledge/verdict', { key: 'bad', version: 1, trust: 'true' }), 'trust')
    assert.equal((await get('bad')).version, 1)
  })

  it('is superseded by another item of its place', async () => {
    await putItem(wl, 'old/a', 'a')
    await putItem(wl, 'old/b', 'b', { supersedes: ['old/a', 'old/a'] })
    const a = await get('old/a')
    assert.deepEqual([a.state, a.supersededBy, a.version], ['superseded', 'old/b', 2])
    assert.deepEqual((await get('old/b')).supersedes, ['old/a'])
    await putItem(wl, 'old/c', 'c')
    const taken = await wl.patch(path('old/c'), { supersedes: ['old/a'] })
    assert.equal(expectError(taken, 'CONFLICT').existing, 'old/b')
    await patch('old/c', { supersedes: ['old/b'] })
    for (const [key, supersedes] of [
      ['old/a', 'old/c'],
      ['old/a', 'old/b'],
      ['old/a', 'old/a'],
    ] as const) {
      assert.equal(expectError(await wl.patch(path(key), { supersedes: [supersedes] }), 'CONFLICT').reason, 'cycle')
    }
    const self = expectError(await wl.patch(path('old/c'), { supersedes: ['old/c'] }), 'CONFLICT')
    assert.equal(self.message, '"old/c" cannot supersede itself.')
    assert.deepEqual(await states('old/a', 'old/b', 'old/c'), ['superseded', 'superseded', 'current'])
    await patch('old/c', { supersedes: [] })
    assert.deepEqual([(await get('old/b')).state, (await get('old/b')).supersededBy], ['current', null])
    await createProject(wl, { key: 'ELSE' })
    await putItem(wl, 'old/d', 'd', { projectId: 'ELSE' })
    expectInvalid(await wl.patch(path('old/c'), { supersedes: ['old/d'] }), 'supersedes.0')
    const { data } = (await wl.get('/v1/history?knowledge=old/a')).body
    assert.deepEqual(data[0].changes.supersededBy, { from: null, to: 'old/b' })
  })

  it('holds again while what supersedes it is deleted or retracted, but not once that has expired', async () => {
    await putItem(wl, 'held/a', 'a')
    await putItem(wl, 'held/b', 'b', { supersedes: ['held/a'] })
    await retract('held/b', 'wrong')
    assert.deepEqual(await states('held/a', 'held/b'), ['current', 'retracted'])
    await retract('held/b', null)
    assert.deepEqual(await states('held/a', 'held/b'), ['superseded', 'current'])
    await retract('held/b', 'wrong')
    await putItem(wl, 'held/c', 'c', { supersedes: ['held/a'] })
    assert.deepEqual((await retract('held/b', null)).supersedes, [], 'another one supersedes meanwhile')
    expectStatus(await wl.delete(path('held/c')), 200)
    assert.deepEqual(await states('held/a'), ['current'])
    await restoreFromTrash('held/c')
    assert.deepEqual(await states('held/a', 'held/c'), ['superseded', 'current'])
    expectStatus(await wl.delete(path('held/a')), 200)
    assert.deepEqual((await get('held/c')).supersedes, [])
    await restoreFromTrash('held/a')
    assert.deepEqual([(await get('held/a')).supersededBy, (await get('held/c')).supersedes], ['held/c', ['held/a']])
    await patch('held/c', { validUntil: soon(3_600) })
    pass(4_000)
    assert.deepEqual(await states('held/a', 'held/c'), ['superseded', 'expired'])
  })

  it('keeps its links when it is renamed and drops them when it is moved elsewhere', async () => {
    await createProject(wl, { key: 'LINKS' })
    await putItem(wl, 'ren/a', 'a')
    await putItem(wl, 'ren/b', 'b', { supersedes: ['ren/a'] })
    const move = async (body: object) => expectStatus(await wl.post('/v1/knowledge/move', body), 200)
    const before = await wl.get('/v1/knowledge/ren/a')
    await move({ from: 'ren/b', to: 'ren/b2' })
    const after = await wl.get('/v1/knowledge/ren/a')
    assert.deepEqual([after.body.data.supersededBy, after.body.data.version], ['ren/b2', before.body.data.version])
    assert.notEqual(after.headers.etag, before.headers.etag)
    const [listed] = (await wl.get('/v1/knowledge?prefix=ren/a')).body.data
    assert.equal(listed.supersededBy, 'ren/b2')
    await move({ from: 'ren/a', to: 'ren/a2' })
    assert.deepEqual((await get('ren/b2')).supersedes, ['ren/a2'])
    await move({ from: 'ren', to: 'ren2', recursive: true })
    assert.deepEqual(await states('ren2/a2', 'ren2/b2'), ['superseded', 'current'])
    await move({ from: 'ren2', to: 'ren', recursive: true, toProjectId: 'LINKS' })
    assert.equal((await get('ren/a2')).supersededBy, 'ren/b2', 'both were moved')
    await move({ from: 'ren/b2', projectId: 'LINKS', to: 'ren/b2', toProjectId: null })
    const a = await get('ren/a2')
    assert.deepEqual([a.state, a.supersededBy, (await get('ren/b2')).supersedes], ['current', null, []])
  })

  it('keeps its links when one end is renamed while the other is retracted or in the trash', async () => {
    const move = async (from: string, to: string) =>
      expectStatus(await wl.post('/v1/knowledge/move', { from, to }), 200)
    const pair = async (name: string) => {
      await putItem(wl, `${name}/o`, 'tea')
      await putItem(wl, `${name}/n`, 'coffee', { supersedes: [`${name}/o`] })
    }
    await pair('away1')
    await retract('away1/n', 'r')
    await move('away1/o', 'away1/o2')
    await putItem(wl, 'away1/o', 'a stranger')
    await retract('away1/n', null)
    assert.deepEqual(await states('away1/o', 'away1/o2'), ['current', 'superseded'])

    await pair('away2')
    expectStatus(await wl.delete(path('away2/n')), 200)
    await move('away2/o', 'away2/o2')
    await restoreFromTrash('away2/n')
    assert.deepEqual((await get('away2/n')).supersedes, ['away2/o2'])

    await pair('away3')
    expectStatus(await wl.delete(path('away3/o')), 200)
    await move('away3/n', 'away3/n2')
    await restoreFromTrash('away3/o')
    assert.equal((await get('away3/o')).supersededBy, 'away3/n2')

    await pair('away5')
    expectStatus(await wl.delete(path('away5/n')), 200)
    expectStatus(await wl.delete(path('away5/o')), 200)
    pass(1)
    await putItem(wl, 'away5/o', 'a stranger')
    await restoreFromTrash('away5/n')
    assert.deepEqual(await states('away5/o', 'away5/n'), ['current', 'current'])

    await pair('away4')
    expectStatus(await wl.delete(path('away4/o')), 200)
    await retract('away4/n', 'r')
    await restoreFromTrash('away4/o')
    assert.deepEqual(await states('away4/o'), ['current'])
    await retract('away4/n', null)
    assert.deepEqual(await states('away4/o'), ['superseded'])
  })

  it('says which links it comes back from the trash without', async () => {
    const remove = async (key: string) => expectStatus(await wl.delete(path(key)), 200)
    const link = (name: string, reason: string) => ({
      ...{ knowledge: `${name}/n`, field: 'supersedes', value: `${name}/o`, reason },
    })
    const pair = async (name: string) => {
      await putItem(wl, `${name}/o`, 'old')
      await putItem(wl, `${name}/n`, 'new', { supersedes: [`${name}/o`] })
    }
    await pair('without1')
    await remove('without1/n')
    await putItem(wl, 'without1/p', 'other', { supersedes: ['without1/o'] })
    assert.deepEqual((await restoreFromTrash('without1/n')).skipped, [link('without1', 'in use')])
    assert.deepEqual((await get('without1/n')).supersedes, [])

    await pair('without2')
    await remove('without2/n')
    await remove('without2/o')
    assert.deepEqual((await restoreFromTrash('without2/n')).skipped, [link('without2', 'not found')])
    // Nothing superseded it when it was deleted.
    assert.deepEqual((await restoreFromTrash('without2/o')).skipped, [])
    assert.deepEqual(await states('without2/o'), ['current'])

    await pair('without3')
    await remove('without3/o')
    await remove('without3/n')
    assert.deepEqual((await restoreFromTrash('without3/o')).skipped, [link('without3', 'not found')])

    for (const [name, first, last] of [
      ['reversed1', 'n', 'o'],
      ['reversed2', 'o', 'n'],
    ] as const) {
      await pair(name)
      for (const end of [first, last]) await remove(`${name}/${end}`)
      for (const end of [last, first]) {
        assert.deepEqual((await restoreFromTrash(`${name}/${end}`)).skipped, [])
      }
      assert.deepEqual(await states(`${name}/o`, `${name}/n`), ['superseded', 'current'])
    }
  })

  it('is linked as it was after its project came back from the trash', async () => {
    const { id } = await createProject(wl, { key: 'LINKED', name: 'Linked' })
    const inProject = (key: string) => `${path(key)}?projectId=${id}`
    const put = (key: string, fields: object = {}) => putItem(wl, key, key, { projectId: id, ...fields })
    // Items come back in the order of their keys.
    await put('e-old')
    await put('b-outdated')
    await put('d-chosen', { supersedes: ['e-old'] })
    await put('a-retracted', { supersedes: ['b-outdated'] })
    expectStatus(await wl.post('/v1/knowledge/retract', { key: 'a-retracted', projectId: id, reason: 'wrong' }), 200)
    const links = async () => {
      const found: unknown[] = []
      for (const key of ['a-retracted', 'b-outdated', 'd-chosen', 'e-old']) {
        const { supersedes, supersededBy, state } = expectStatus(await wl.get(inProject(key)), 200).body.data
        found.push({ key, supersedes, supersededBy, state })
      }
      return found
    }
    const before = await links()
    expectStatus(await wl.delete('/v1/projects/LINKED?force=true'), 200)
    assert.deepEqual((await restoreFromTrash('Linked')).skipped, [])
    assert.deepEqual(await links(), before)
    expectStatus(await wl.post('/v1/knowledge/retract', { key: 'a-retracted', projectId: id, reason: null }), 200)
    assert.equal(expectStatus(await wl.get(inProject('b-outdated')), 200).body.data.supersededBy, 'a-retracted')
  })

  it('names those that it would supersede again after an undo, although it is retracted', async () => {
    await putItem(wl, 'would/a', 'a')
    await putItem(wl, 'would/b', 'b')
    await putItem(wl, 'would/c', 'c')
    await retract('would/b', 'wrong')
    const headers = { 'x-request-id': 'would' }
    for (const [key, fields] of [
      ['would/b', { supersedes: ['would/a'] }],
      ['would/c', { supersedes: ['would/a'] }],
      ['would/a', { supersedes: ['would/b'] }],
      ['would/b', { title: 'B' }],
    ] as const) {
      expectStatus(await wl.patch(path(key), fields, { headers }), 200)
    }
    const undo = async (requestId: string) => {
      const options = { headers: { 'x-request-id': `not-${requestId}` } }
      const { data } = expectStatus(await wl.post('/v1/undo', { requestId, dryRun: false }, options), 200).body
      assert.deepEqual([data.conflicts, data.undone.flatMap(({ skipped }: { skipped: object[] }) => skipped)], [[], []])
      return [(await get('would/a')).supersedes, (await get('would/b')).supersedes]
    }
    assert.deepEqual(await undo('would'), [[], []])
    assert.deepEqual(await undo('not-would'), [['would/b'], ['would/a']])
  })

  it('is found by search after it came back from the trash', async () => {
    await putItem(wl, 'back/again', 'xylophone lessons')
    expectStatus(await wl.delete(path('back/again')), 200)
    await restoreFromTrash('back/again')
    const { data } = expectStatus(await wl.get('/v1/knowledge/search?q=xylophone'), 200).body
    assert.deepEqual(
      data.map(({ key }: { key: string }) => key),
      ['back/again'],
    )
  })

  it('is verified by others than its author, disputed by anyone, and new content is unreviewed', async () => {
    const user = expectStatus(await wl.post('/v1/users', { name: 'Ada' }), 201).body.data
    const author = await createKey(wl, { scopes, userId: user.id })
    const second = await createKey(wl, { scopes, userId: user.id })
    const other = await createKey(wl, { scopes })
    const judge = (key: string, body: object) => wl.post('/v1/knowledge/verdict', { key: 'fact', ...body }, { key })
    await putItem(wl, 'fact', 'It is so.', {}, { key: author.key })
    for (const { key } of [author, second]) {
      const refused = expectError(await judge(key, { version: 1, trust: 'verified' }), 'FORBIDDEN')
      assert.equal(refused.reason, 'verifier')
    }
    const verified = expectStatus(await judge(other.key, { version: 1, trust: 'verified', note: 'Tried.' }), 200).body
      .data
    assert.deepEqual([verified.trust, verified.version], ['verified', 2])
    assert.deepEqual(
      [verified.verdict.by.keyId, verified.verdict.version, verified.verdict.note],
      [other.id, 1, 'Tried.'],
    )
    expectError(await judge(other.key, { version: 1, trust: 'disputed' }), 'PRECONDITION_FAILED')
    // Whoever changed another field is not the author of the content.
    await wl.patch(path('fact'), { title: 'Fact' }, { key: other.key })
    expectError(await judge(second.key, { version: 3, trust: 'verified' }), 'FORBIDDEN')
    assert.equal((await get('fact')).trust, 'verified')
    const disputed = expectStatus(await judge(author.key, { version: 3, trust: 'disputed' }), 200).body.data
    assert.equal(disputed.trust, 'disputed')
    const renewed = await putItem(wl, 'fact', 'It is not so.', {}, { key: other.key })
    assert.deepEqual([renewed.trust, renewed.verdict], ['unreviewed', null])
    expectError(await judge(other.key, { version: renewed.version, trust: 'verified' }), 'FORBIDDEN')
    expectStatus(await judge(author.key, { version: renewed.version, trust: 'verified' }), 200)
  })

  it('is not verified by its author after it came back from the trash, alone or with its project', async () => {
    const [author, other] = [await createKey(wl, { scopes }), await createKey(wl, { scopes })]
    const { id: projectId } = await createProject(wl, { key: 'AUTHORED', name: 'Authored' })
    const inProject = `${path('written')}?projectId=${projectId}`
    await putItem(wl, 'written', 'It is so.', { projectId }, { key: author.key })
    expectStatus(await wl.patch(inProject, { title: 'Fact' }, { key: other.key }), 200)
    const verify = async ({ key }: { key: string }) => {
      const { version } = expectStatus(await wl.get(inProject), 200).body.data
      return wl.post('/v1/knowledge/verdict', { key: 'written', projectId, version, trust: 'verified' }, { key })
    }
    for (const [deleted, title] of [
      [inProject, 'written'],
      ['/v1/projects/AUTHORED?force=true', 'Authored'],
    ] as const) {
      expectStatus(await wl.delete(deleted), 200)
      await restoreFromTrash(title)
      assert.equal(expectError(await verify(author), 'FORBIDDEN').reason, 'verifier')
    }
    expectStatus(await verify(other), 200)
  })

  it('is retracted, stays readable, and comes back with a word or with new content', async () => {
    await putItem(wl, 'gone', 'text')
    const gone = await retract('gone', 'It was a guess.')
    assert.deepEqual([gone.state, gone.retraction.reason, gone.version], ['retracted', 'It was a guess.', 2])
    assert.equal((await retract('gone', 'It was a guess.')).version, 2)
    assert.equal((await get('gone')).content, 'text')
    assert.equal((await retract('gone', null)).state, 'current')
    await retract('gone', 'again')
    const { state, retraction } = await putItem(wl, 'gone', 'better text')
    assert.deepEqual([state, retraction], ['current', null])
    const { data } = (await wl.get('/v1/events?after=latest')).body
    assert.deepEqual(data, [])
  })

  it('expires at its instant, on every read and with an ETag of its own', async () => {
    await putItem(wl, 'short', 'text', { validUntil: soon(3_600) })
    const etag = (await wl.get(path('short'))).headers.etag as string
    assert.equal(etag, '"1"')
    const headers = { 'if-none-match': etag }
    assert.equal((await wl.get(path('short'), { headers })).status, 304)
    pass(4_000)
    const expired = await wl.get(path('short'), { headers })
    assert.deepEqual([expired.status, expired.headers.etag, expired.body.data.state], [200, '"1-expired"', 'expired'])
    const old = await wl.get(path('short', '?version=1'), { headers })
    assert.deepEqual([old.status, old.headers.etag], [200, '"1-expired"'])
    const listed = (await wl.get('/v1/knowledge?prefix=short')).body.data
    assert.equal(listed[0].state, 'expired')
    const ifMatch = { headers: { 'if-match': '"1-expired"' } }
    const { body } = await wl.patch(path('short'), { validUntil: soon(3_600) }, ifMatch)
    assert.deepEqual([body.data.state, body.data.version], ['current', 2])
    assert.equal((await putItem(wl, 'past', 'x', { validUntil: '2001-01-01' })).state, 'expired')
  })

  it('is listed by tag, trust and state', async () => {
    for (const at of [1, 2, 3, 4, 5]) await putItem(wl, `tag/${at}`, 'text', { tags: at % 2 ? ['odd'] : ['even'] })
    await createProject(wl, { key: 'TAGS' })
    await putItem(wl, 'tag/1', 'text', { tags: ['odd'], projectId: 'TAGS' })
    const keys = async (query: string) =>
      (await wl.get(`/v1/knowledge?prefix=tag/&fields=key&${query}`)).body.data.map(({ key }: { key: string }) => key)
    assert.deepEqual(await keys('tag=odd&scope=tenant'), ['tag/1', 'tag/3', 'tag/5'])
    assert.deepEqual(await keys('tag=odd'), ['tag/1', 'tag/1', 'tag/3', 'tag/5'])
    const first = (await wl.get('/v1/knowledge?prefix=tag/&tag=odd&limit=1')).body
    const rest = (await wl.get(`/v1/knowledge?prefix=tag/&tag=odd&limit=9&cursor=${first.pagination.nextCursor}`)).body
    assert.deepEqual(
      [...first.data, ...rest.data].map(({ projectId }) => projectId === null),
      [true, false, true, true],
    )
    await retract('tag/2', 'wrong')
    await patch('tag/4', { supersedes: ['tag/5'] })
    await patch('tag/3', { validUntil: '2001-01-01', tags: ['odd', 'three'] })
    expectStatus(await wl.post('/v1/knowledge/verdict', { key: 'tag/4', version: 2, trust: 'disputed' }), 200)
    assert.deepEqual(await keys('state=retracted'), ['tag/2'])
    assert.deepEqual(await keys('state=superseded'), ['tag/5'])
    assert.deepEqual(await keys('state=expired'), ['tag/3'])
    assert.deepEqual(await keys('state=current&scope=tenant'), ['tag/1', 'tag/4'])
    assert.deepEqual(await keys('trust=disputed'), ['tag/4'])
    assert.deepEqual(await keys('trust=disputed&state=retracted'), [])
    assert.deepEqual(await keys('tag=three'), ['tag/3'])
    assert.deepEqual(await keys('projectId=TAGS&tag=odd'), ['tag/1'])
    assert.deepEqual(await keys('scope=project&state=current'), ['tag/1'])
    await wl.post('/v1/knowledge/move', { from: 'tag/3', to: 'tag/9' })
    assert.deepEqual(await keys('tag=three'), ['tag/9'])
    expectStatus(await wl.delete(path('tag/9')), 200)
    assert.deepEqual(await keys('tag=three'), [])
    await restoreFromTrash('tag/9')
    assert.deepEqual(await keys('tag=three'), ['tag/9'])
  })

  it('is put back by undo as it was, its verdict too', async () => {
    const agent = await createKey(wl, { scopes })
    const reviewer = await createKey(wl, { scopes })
    const { key } = agent
    await putItem(wl, 'undo/a', 'a', { tags: ['kept'] })
    const verdict = { key: 'undo/a', version: 1, trust: 'verified' }
    expectStatus(await wl.post('/v1/knowledge/verdict', verdict, { key: reviewer.key }), 200)
    await putItem(wl, 'undo/b', 'b', { supersedes: ['undo/a'] }, { key })
    expectStatus(await wl.patch(path('undo/a'), { tags: [], title: 'Spoilt' }, { key }), 200)
    expectStatus(await wl.post('/v1/knowledge/retract', { key: 'undo/a', reason: 'Spoilt' }, { key }), 200)
    await putItem(wl, 'undo/a', 'spoilt', {}, { key })
    expectStatus(await wl.post('/v1/undo', { keyId: agent.id, dryRun: false }), 200)
    const a = await get('undo/a')
    assert.deepEqual([a.content, a.state, a.tags, a.title], ['a', 'current', ['kept'], null])
    assert.deepEqual([a.trust, a.verdict.by.keyId, a.supersededBy], ['verified', reviewer.id, null])
    expectError(await wl.get(path('undo/b')), 'NOT_FOUND')
  })

  it('is put back by undo, which says once which links could not be', async () => {
    const agent = await createKey(wl, { scopes })
    for (const name of ['lost1', 'lost2']) {
      await putItem(wl, `${name}/o`, 'old')
      await putItem(wl, `${name}/n`, 'new', { supersedes: [`${name}/o`] })
    }
    expectStatus(await wl.delete(path('lost1/o'), { key: agent.key }), 200)
    expectStatus(await wl.delete(path('lost1/n')), 200)
    expectStatus(await wl.delete(path('lost2/n'), { key: agent.key }), 200)
    await putItem(wl, 'lost2/p', 'other', { supersedes: ['lost2/o'] })
    const { undone } = expectStatus(await wl.post('/v1/undo', { keyId: agent.id, dryRun: false }), 200).body.data
    const skippedOf = (key: string) => undone.find(({ knowledge }: { knowledge: string }) => knowledge === key).skipped
    const link = (name: string) => ({ knowledge: `${name}/n`, field: 'supersedes', value: `${name}/o` })
    assert.deepEqual(skippedOf('lost1/o'), [{ ...link('lost1'), reason: 'not found' }])
    assert.deepEqual(skippedOf('lost2/n'), [{ ...link('lost2'), reason: 'in use' }])
  })

  it('says what an old version superseded and no longer can', async () => {
    for (const key of ['left/free', 'left/gone', 'left/taken']) await putItem(wl, key, 'old')
    await putItem(wl, 'left/new', 'one', { supersedes: ['left/free', 'left/gone', 'left/taken'] })
    await putItem(wl, 'left/new', 'two', { supersedes: [] })
    expectStatus(await wl.delete(path('left/gone')), 200)
    await putItem(wl, 'left/other', 'other', { supersedes: ['left/taken'] })
    const { data, skipped } = expectStatus(
      await wl.post('/v1/history/restore', { knowledge: 'left/new', version: 1 }),
      200,
    ).body
    assert.deepEqual([data.content, data.supersedes], ['one', ['left/free']])
    const ofNew = { knowledge: 'left/new', field: 'supersedes' }
    assert.deepEqual(skipped, [
      { ...ofNew, value: 'left/gone', reason: 'not found' },
      { ...ofNew, value: 'left/taken', reason: 'in use' },
    ])

    await putItem(wl, 'left/new', 'three', { supersedes: [] })
    await patch('left/free', { supersedes: ['left/new'] })
    const turned = expectStatus(
      await wl.post('/v1/history/restore', { knowledge: 'left/new', version: data.version }),
      200,
    )
    assert.deepEqual(turned.body.skipped, [{ ...ofNew, value: 'left/free', reason: 'cycle' }])
  })

  it('restores an old version with its fields', async () => {
    await putItem(wl, 'versions', 'one', { title: 'One', tags: ['x'] })
    await putItem(wl, 'versions', 'two', { title: 'Two', tags: [] })
    const restored = expectStatus(await wl.post('/v1/history/restore', { knowledge: 'versions', version: 1 }), 200)
    const { content, title, tags, version } = restored.body.data
    assert.deepEqual([content, title, tags, version], ['one', 'One', ['x'], 3])
  })

  it('can be changed in a batch, all or nothing', async () => {
    await putItem(wl, 'batch/a', 'a')
    const operations = [
      { method: 'PUT', path: '/v1/knowledge/batch/b', body: { content: 'b', supersedes: ['batch/a'] } },
      { method: 'PATCH', path: '/v1/knowledge/batch/b', body: { title: 'B' } },
      { method: 'POST', path: '/v1/knowledge/retract', body: { key: 'batch/a', reason: 'old' } },
    ]
    expectStatus(await wl.post('/v1/batch', { operations }), 200)
    assert.deepEqual(await states('batch/a', 'batch/b'), ['retracted', 'current'])
    const failing = [...operations.slice(2), { method: 'PATCH', path: '/v1/knowledge/nobody', body: { title: 'x' } }]
    const { version } = await get('batch/a')
    assert.notEqual((await wl.post('/v1/batch', { operations: failing })).status, 200)
    assert.equal((await get('batch/a')).version, version)
  })

  it('is changed only by keys that may write its place', async () => {
    const project = await createProject(wl, { key: 'SAFE' })
    await putItem(wl, 'safe', 'text')
    const limited = await createKey(wl, { scopes, projectIds: [project.id] })
    const reader = await createKey(wl, { scopes: ['knowledge:read'] })
    for (const { key } of [limited, reader]) {
      expectError(await wl.patch(path('safe'), { title: 'x' }, { key }), 'FORBIDDEN')
      expectError(await wl.post('/v1/knowledge/retract', { key: 'safe', reason: 'x' }, { key }), 'FORBIDDEN')
      const verdict = { key: 'safe', version: 1, trust: 'disputed' }
      expectError(await wl.post('/v1/knowledge/verdict', verdict, { key }), 'FORBIDDEN')
    }
    assert.equal((await get('safe')).version, 1)
  })

  it('takes `projectId: null` for the tenant-wide item in every request that names an item', async () => {
    const project = await createProject(wl, { key: 'NUL' })
    const key = 'null-project'
    await putItem(wl, key, 'the tenant said')
    await putItem(wl, key, 'the tenant says', { projectId: null })
    await putItem(wl, key, 'the project says', { projectId: project.id })
    const reference = { key, projectId: null }
    const post = async (action: string, body: object) =>
      expectStatus(await wl.post(`/v1/${action}`, body), 200).body.data
    assert.equal((await post('knowledge/retract', { ...reference, reason: 'wrong' })).projectId, null)
    assert.equal((await post('knowledge/verdict', { ...reference, version: 3, trust: 'disputed' })).version, 4)
    assert.equal((await post('knowledge/stale/accept', reference)).version, 4)
    assert.equal((await post('history/restore', { knowledge: key, projectId: null, version: 1 })).version, 5)
    const moved = await post('knowledge/move', { from: key, projectId: null, to: 'null-moved' })
    assert.equal((Array.isArray(moved) ? moved[0] : moved).projectId, null)
    const missing = expectError(await wl.post('/v1/knowledge/retract', { ...reference, reason: 'wrong' }), 'NOT_FOUND')
    assert.match(missing.message, /moved to "null-moved"/)
  })
})
