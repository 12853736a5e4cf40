import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { expectError, expectInvalid, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, putItem } from 'worklore-testing/factories'
import { describeService } from 'worklore-testing/service-suite'

describeService('knowledge', (wl) => {
  let one: { id: string }
  let two: { id: string }
  before(async () => {
    one = await createProject(wl, { key: 'ONE' })
    two = await createProject(wl, { key: 'TWO' })
  })

  it('is created with 201 and updated with 200, the item in the answer both times', async () => {
    const created = expectStatus(await wl.put('/v1/knowledge/guides/setup', { content: 'first' }), 201)
    assert.equal(created.headers.location, '/v1/knowledge/guides/setup')
    assert.equal(created.headers.etag, '"1"')
    const { id, createdAt, updatedAt, createdBy, updatedBy, ...rest } = created.body.data
    assert.match(id, /^kno_[0-9A-Za-z]{20}$/)
    const lifecycle = { trust: 'unreviewed', verdict: null, retraction: null, state: 'current', stale: [] }
    const links = { supersedes: [], supersededBy: null }
    const fields = { title: null, tags: [], metadata: {}, source: null, validUntil: null, ...links, ...lifecycle }
    assert.deepEqual(rest, { key: 'guides/setup', content: 'first', projectId: null, version: 1, ...fields })
    assert.equal(createdAt, updatedAt)
    assert.deepEqual(createdBy, updatedBy)
    wl.passTime(5)
    const updated = expectStatus(await wl.put('/v1/knowledge/guides/setup', { content: 'second' }), 200)
    assert.equal(updated.headers.etag, '"2"')
    const { content, ...fieldsNow } = updated.body.data
    assert.deepEqual([content, fieldsNow.createdAt, fieldsNow.id], ['second', createdAt, id])
    assert.ok(updated.body.data.updatedAt > updatedAt)
    assert.deepEqual((await wl.get('/v1/knowledge/guides/setup')).body, updated.body)
  })

  it('keeps who made it and who changed it last', async () => {
    const made = (await wl.post('/v1/keys', { name: 'writer', scopes: ['knowledge:write'] })).body.data
    await putItem(wl, 'signed', 'by the admin')
    const { createdBy, updatedBy } = await putItem(wl, 'signed', 'by another', {}, { key: made.key })
    assert.equal(createdBy.keyName, 'admin')
    assert.deepEqual(updatedBy, { keyId: made.id, keyName: 'writer', userId: null })
  })

  it('gives back content byte for byte', async () => {
    const contents = [
      '',
      ' \t\n',
      'a\r\nb\rc\n',
      '\ufeffwith a BOM',
      '🙂 𝒳 é e\u0301 日本語 \u200d \u2028',
      '"quoted" \\ \b\f \u0001\u001f \u007f </script>',
      '\ufffe\uffff\u{10ffff}',
      'null',
    ]
    for (const content of contents) {
      assert.equal((await putItem(wl, 'exact', content)).content, content)
      const { text } = await wl.get('/v1/knowledge/exact')
      assert.equal(JSON.parse(text).data.content, content)
    }
  })

  it('takes content up to 1 MiB of UTF-8', async () => {
    const largest = 'é'.repeat(524_288)
    assert.equal((await putItem(wl, 'large', largest)).content, largest)
    assert.equal((await wl.get('/v1/knowledge/large')).body.data.content, largest)
    expectError(await wl.put('/v1/knowledge/large', { content: `${largest}a` }), 'PAYLOAD_TOO_LARGE')
    assert.equal((await wl.get('/v1/knowledge/large')).body.data.version, 1)
  })

  it('refuses a body that is not content for one place', async () => {
    const refused: [body: unknown, path: string][] = [
      [{}, 'content'],
      [{ content: null }, 'content'],
      [{ content: 7 }, 'content'],
      [{ content: { text: 'x' } }, 'content'],
      [{ content: 'x', projectId: 'NOPE' }, 'projectId'],
      [{ content: 'x', projectId: '' }, 'projectId'],
      [{ content: 'x', projectId: 7 }, 'projectId'],
      [{ content: 'x', key: 'other' }, 'key'],
      [{ content: 'x', version: 3 }, 'version'],
    ]
    for (const [body, path] of refused) expectInvalid(await wl.put('/v1/knowledge/refused', body), path)
    const wrong = { content: 'x', projectId: 'NOPE', validUntil: 'never', supersedes: ['a', '/b'] }
    expectInvalid(await wl.put('/v1/knowledge/refused', wrong), 'projectId', 'validUntil', 'supersedes.1')
    expectInvalid(await wl.put('/v1/knowledge/refused?projectId=ONE', { content: 'x' }), 'projectId')
    expectError(await wl.get('/v1/knowledge/refused'), 'NOT_FOUND')
  })

  it('is deleted once', async () => {
    const { id } = await putItem(wl, 'a/b', 'x')
    assert.deepEqual((await wl.delete('/v1/knowledge/a%2Fb')).body, { data: { id, key: 'a/b', deleted: true } })
    expectError(await wl.delete('/v1/knowledge/a/b'), 'NOT_FOUND')
    expectError(await wl.get('/v1/knowledge/a/b'), 'NOT_FOUND')
  })

  it('is told apart by project and key', async () => {
    await putItem(wl, 'same', 'of the tenant')
    await putItem(wl, 'same', 'of one', { projectId: 'ONE' })
    await putItem(wl, 'same', 'of two', { projectId: two.id })
    const contentOf = async (query: string) => (await wl.get(`/v1/knowledge/same${query}`)).body.data.content
    assert.equal(await contentOf(''), 'of the tenant')
    assert.equal(await contentOf('?projectId=ONE'), 'of one')
    assert.equal(await contentOf('?projectId=TWO'), 'of two')
    assert.equal((await wl.get(`/v1/knowledge/same?projectId=${one.id}`)).body.data.projectId, one.id)
    expectStatus(await wl.delete('/v1/knowledge/same?projectId=ONE'), 200)
    expectError(await wl.get('/v1/knowledge/same?projectId=ONE'), 'NOT_FOUND')
    expectError(await wl.delete('/v1/knowledge/same?projectId=ONE'), 'NOT_FOUND')
    assert.equal(await contentOf(''), 'of the tenant')
  })

  it('is written for the tenant with a null projectId as without one', async () => {
    assert.equal((await putItem(wl, 'wide', 'x', { projectId: null })).projectId, null)
    assert.equal((await putItem(wl, 'wide', 'y')).version, 2)
  })

  it('is the only project’s where no project is named and the tenant has none', async () => {
    await putItem(wl, 'alone', 'of one', { projectId: 'ONE' })
    assert.equal((await wl.get('/v1/knowledge/alone')).body.data.projectId, one.id)
    expectStatus(await wl.delete('/v1/knowledge/alone'), 200)
    expectError(await wl.get('/v1/knowledge/alone?projectId=ONE'), 'NOT_FOUND')
  })

  it('is written where it is read from, if no project is named', async () => {
    await putItem(wl, 'read/one', 'of one', { projectId: 'ONE' })
    const updated = expectStatus(await wl.put('/v1/knowledge/read/one', { content: 'again' }), 200)
    assert.deepEqual([updated.body.data.projectId, updated.body.data.version], [one.id, 2])
    const headers = { 'if-match': '"2"' }
    assert.equal((await wl.put('/v1/knowledge/read/one', { content: 'third' }, { headers })).body.data.version, 3)
    const stale = await wl.put('/v1/knowledge/read/one', { content: 'fourth' }, { headers })
    assert.equal(expectError(stale, 'PRECONDITION_FAILED').currentVersion, 3)
    const onlyNew = { headers: { 'if-none-match': '*' } }
    expectError(await wl.put('/v1/knowledge/read/one', { content: 'twin' }, onlyNew), 'PRECONDITION_FAILED')
    assert.deepEqual(
      (await wl.get('/v1/knowledge?prefix=read/')).body.data.map((item: { content: string }) => item.content),
      ['third'],
    )
    const wide = expectStatus(await wl.put('/v1/knowledge/read/one', { content: 'wide', projectId: null }), 201)
    assert.equal(wide.body.data.projectId, null)
    assert.equal((await putItem(wl, 'read/one', 'wider')).projectId, null)
    assert.equal((await wl.get('/v1/knowledge/read/one?projectId=ONE')).body.data.content, 'third')
    const missing = await wl.put('/v1/knowledge/read/none', { content: 'x' }, { headers: { 'if-match': '"1"' } })
    assert.equal(expectError(missing, 'PRECONDITION_FAILED').currentVersion, null)
    const fresh = expectStatus(await wl.put('/v1/knowledge/read/none', { content: 'x' }, onlyNew), 201)
    assert.equal(fresh.body.data.projectId, null)
  })

  it('is written where it is read from in a batch too', async () => {
    await putItem(wl, 'batch/one', 'of one', { projectId: 'ONE' })
    const operation = { method: 'PUT', path: '/v1/knowledge/batch/one', body: { content: 'again' } }
    const { data } = expectStatus(await wl.post('/v1/batch', { operations: [operation, operation] }), 200).body
    for (const { status, body } of data) {
      assert.deepEqual([status, body.data.projectId, body.data.version], [200, one.id, 2])
    }
    const refused = { ...operation, headers: { 'If-None-Match': '*' } }
    const answer = await wl.post('/v1/batch', { operations: [refused] })
    assert.equal(expectError(answer, 'PRECONDITION_FAILED').currentVersion, 2)
  })

  it('is written by a key limited to projects where that key reads it, and never for the tenant', async () => {
    const { key } = await createKey(wl, { scopes: ['knowledge:write'], projectIds: [one.id] })
    const put = (name: string) => wl.put(`/v1/knowledge/${name}`, { content: 'by the key' }, { key })
    for (const projectId of ['ONE', 'TWO']) await putItem(wl, 'limited/both', 'x', { projectId })
    assert.equal(expectStatus(await put('limited/both'), 200).body.data.projectId, one.id)
    assert.equal((await wl.get('/v1/knowledge/limited/both?projectId=TWO')).body.data.content, 'x')
    await putItem(wl, 'limited/wide', 'x', { projectId: null })
    await putItem(wl, 'limited/wide', 'x', { projectId: 'ONE' })
    await putItem(wl, 'limited/two', 'x', { projectId: 'TWO' })
    for (const name of ['limited/wide', 'limited/two', 'limited/none']) {
      assert.match(expectError(await put(name), 'FORBIDDEN').message, /Set projectId to one of its projects/)
    }
    assert.equal((await wl.get('/v1/knowledge/limited/wide')).body.data.version, 1)
    expectError(await wl.get('/v1/knowledge/limited/none'), 'NOT_FOUND')
  })

  it('is ambiguous where several projects have the key, and names them', async () => {
    for (const projectId of ['ONE', 'TWO']) await putItem(wl, 'both', 'x', { projectId })
    const expected = [one.id, two.id].sort()
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const sent = method === 'PUT' ? { body: { content: 'y' } } : {}
      const { candidates } = expectError(await wl.request(method, '/v1/knowledge/both', sent), 'CONFLICT')
      assert.deepEqual(candidates.sort(), expected)
    }
    await putItem(wl, 'both', 'of the tenant', { projectId: null })
    assert.equal((await wl.get('/v1/knowledge/both')).body.data.projectId, null)
  })

  it('never falls back from a project that is named', async () => {
    await putItem(wl, 'tenant-only', 'x')
    const wide = expectError(await wl.get('/v1/knowledge/tenant-only?projectId=ONE'), 'NOT_FOUND')
    assert.match(wide.message, /not found in project "ONE"\. It is tenant-wide\. Leave projectId out\.$/)
    expectError(await wl.delete('/v1/knowledge/tenant-only?projectId=ONE'), 'NOT_FOUND')
    await putItem(wl, 'two-only', 'x', { projectId: 'TWO' })
    const other = expectError(await wl.get('/v1/knowledge/two-only?projectId=ONE'), 'NOT_FOUND')
    assert.deepEqual(other.candidates, [two.id])
    const { key } = await createKey(wl, { scopes: ['knowledge:read'], projectIds: [one.id] })
    const hidden = expectError(await wl.get('/v1/knowledge/two-only?projectId=ONE', { key }), 'NOT_FOUND')
    assert.ok(!JSON.stringify(hidden).includes(two.id))
    expectInvalid(await wl.get('/v1/knowledge/tenant-only?projectId=NOPE'), 'projectId')
    expectInvalid(await wl.get('/v1/knowledge/tenant-only?project=ONE'), 'project')
  })
})
