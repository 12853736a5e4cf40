import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { createKey, createProject, createTask, putItem } from 'worklore-testing/factories'
import { describeTenant } from 'worklore-testing/service-suite'

interface Hit {
  kind?: string
  id?: string
  key?: string
  score: number
}

const nameOf = ({ kind, id, key }: Hit): string => `${kind ?? ''} ${key ?? id}`.trim()

describeTenant('one search over everything', (wl) => {
  const search = async (query: string, key?: string) => wl.get(`/v1/search?${query}`, key ? { key } : {})
  const found = async (query: string, key?: string): Promise<string[]> => {
    const { status, body, text } = await search(query, key)
    assert.equal(status, 200, text)
    return body.data.map(nameOf)
  }

  before(async () => {
    for (const key of ['ACME', 'BETA']) await createProject(wl, { key })
    await createTask(wl, 'ACME', { title: 'Repair the login redirect', description: 'People land on a blank page.' })
    await createTask(wl, 'ACME', { title: 'Order new chairs' })
    await createTask(wl, 'BETA', { title: 'Write the greeting' })
    await putItem(wl, 'guides/login', '# Login\n\nHow the redirect after a login works.')
    await putItem(wl, 'guides/chairs', '# Chairs\n\nWhere they come from.', { projectId: 'ACME' })
    await putItem(wl, 'guides/signing-in', '# Login help\n\nWhat to do when a login fails.', { projectId: 'BETA' })
    await wl.post('/v1/tasks/BETA-1/comments', { body: 'The zeppelin should say hello first.' })
  })

  it('ranks tasks and notes in one list, each with its kind', async () => {
    const { status, body } = await search('q=login%20redirect')
    assert.equal(status, 200)
    assert.deepEqual(body.data.slice(0, 2).map(nameOf).sort(), ['knowledge guides/login', 'task ACME-1'])
    const scores = body.data.map(({ score }: Hit) => score)
    assert.deepEqual(
      scores,
      scores.toSorted((a: number, b: number) => b - a),
    )
    assert.equal(body.semantic, false)
    assert.ok(body.data.every((hit: Hit) => hit.kind !== 'knowledge' || 'snippet' in hit))
  })

  it('finds tasks by their comments', async () => {
    assert.deepEqual(await found('q=zeppelin'), ['task BETA-1'])
  })

  it('finds ids inside a query', async () => {
    for (const q of ['fix%20ACME-2', 'ACME%202', 'acme-2', 'acme%202']) {
      const { body } = await search(`q=${q}`)
      assert.deepEqual([nameOf(body.data[0]), body.data[0].score], ['task ACME-2', 1], q)
    }
    assert.ok(!(await found('q=top%202%20chairs')).includes('task TOP-2'))
  })

  it('searches one kind, one project and as many as asked for', async () => {
    assert.deepEqual(await found('q=chairs&in=tasks'), ['task ACME-2'])
    assert.deepEqual(await found('q=chairs&in=knowledge'), ['knowledge guides/chairs'])
    assert.equal((await found('q=chairs&in=tasks,knowledge')).length, 2)
    assert.deepEqual(await found('q=login&projectId=BETA'), ['knowledge guides/signing-in'])
    assert.ok((await found('q=login&projectId=BETA&includeTenant=true')).includes('knowledge guides/login'))
    assert.equal((await found('q=login&limit=1')).length, 1)
    assert.deepEqual(await found('q=login&minScore=1'), [])
  })

  it('refuses a blank query and unknown kinds', async () => {
    for (const query of ['', 'q=', 'q=%20', 'q=a&in=users', 'q=a&in=', 'q=a&minScore=2', 'q=a&projectId=NONE']) {
      assert.equal((await search(query)).body.error?.code, 'VALIDATION_ERROR', query)
    }
  })

  it('finds what the key may read, and refuses a kind that it may not', async () => {
    const { key: reader } = await createKey(wl, { scopes: ['knowledge:read'] })
    assert.deepEqual(await found('q=chairs', reader), ['knowledge guides/chairs'])
    const refused = await search('q=chairs&in=tasks,knowledge', reader)
    assert.deepEqual([refused.status, refused.body.error.requiredScope], [403, 'tasks:read'])
  })

  it('finds nothing of projects that the key is not for', async () => {
    const beta = (await wl.get('/v1/projects/BETA')).body.data.id
    const { key } = await createKey(wl, { scopes: ['tasks:read', 'knowledge:read'], projectIds: [beta] })
    assert.deepEqual(await found('q=chairs', key), [])
    assert.equal((await search('q=chairs&projectId=ACME', key)).status, 403)
  })

  it('counts as one search', async () => {
    const remaining = async () =>
      Number(/"searches-per-minute";r=(\d+)/.exec((await search('q=login')).headers.ratelimit as string)?.[1])
    const before = await remaining()
    assert.equal(await remaining(), before - 1)
  })
})

describeTenant('what is similar', (wl) => {
  before(async () => {
    for (const key of ['ACME', 'BETA']) await createProject(wl, { key })
    await createTask(wl, 'ACME', { title: 'Login redirect shows a blank page' })
    await createTask(wl, 'ACME', { title: 'Fix the blank page after the login redirect' })
    await createTask(wl, 'ACME', { title: 'Order new chairs' })
    await createTask(wl, 'BETA', { title: 'Login redirect shows a blank page' })
    await putItem(wl, 'ops/rollback', '# Rolling back a release\n\nSwitch the traffic.')
    await putItem(wl, 'ops/release', '# Rolling out a release\n\nBuild the image.', { projectId: 'ACME' })
    await putItem(wl, 'office/kitchen', '# Kitchen\n\nThe coffee machine.')
  })

  const ids = (body: { data: { id: string }[] }) => body.data.map(({ id }) => id)

  it('lists the tasks on the subject of a task, without itself', async () => {
    const { status, body } = await wl.get('/v1/tasks/ACME-1/similar')
    assert.equal(status, 200)
    assert.deepEqual(ids(body), ['BETA-1', 'ACME-2'])
    assert.ok(body.data.every(({ score }: { score: number }) => score >= 0.3))
    assert.deepEqual(ids((await wl.get('/v1/tasks/ACME-1/similar?limit=1')).body), ['BETA-1'])
    assert.deepEqual((await wl.get('/v1/tasks/ACME-3/similar')).body.data, [])
    assert.equal((await wl.get('/v1/tasks/ACME-99/similar')).status, 404)
  })

  it('shows nothing of projects that the key is not for', async () => {
    const acme = (await wl.get('/v1/projects/ACME')).body.data.id
    const { key } = await createKey(wl, { scopes: ['tasks:read', 'knowledge:read'], projectIds: [acme] })
    assert.deepEqual(ids((await wl.get('/v1/tasks/ACME-1/similar', { key })).body), ['ACME-2'])
    assert.equal((await wl.get('/v1/tasks/BETA-1/similar', { key })).status, 403)
  })

  it('lists the notes on the subject of a note', async () => {
    const { body, headers } = await wl.get('/v1/knowledge/ops/rollback?similar=true')
    assert.equal(body.data.key, 'ops/rollback')
    assert.deepEqual(
      body.similar.map(({ key }: { key: string }) => key),
      ['ops/release'],
    )
    assert.ok(body.similar[0].score >= 0.3 && body.similar[0].snippet !== undefined)
    assert.match(headers.etag as string, /^"1\.\d+"$/)
    const unchanged = { headers: { 'if-none-match': headers.etag as string } }
    assert.equal((await wl.get('/v1/knowledge/ops/rollback?similar=true', unchanged)).status, 304)
    assert.equal((await wl.get('/v1/knowledge/ops/rollback', unchanged)).status, 200)
    assert.deepEqual((await wl.get('/v1/knowledge/office/kitchen?similar=true')).body.similar, [])
    assert.equal('similar' in (await wl.get('/v1/knowledge/ops/rollback')).body, false)
  })

  it('is told when a task is created, which is created all the same', async () => {
    const body = { projectId: 'ACME', title: 'Blank page after login redirect' }
    const options = { headers: { 'idempotency-key': 'once' } }
    const created = await wl.post('/v1/tasks?checkDuplicates=true', body, options)
    assert.equal(created.status, 201)
    assert.equal(created.body.data.id, 'ACME-4')
    assert.deepEqual(created.body.similar.map(({ id }: { id: string }) => id).sort(), ['ACME-1', 'ACME-2'])
    assert.ok(created.body.similar.every(({ score }: { score: number }) => score >= 0.5))
    assert.deepEqual(Object.keys(created.body.similar[0]).sort(), ['id', 'score', 'status', 'title'])
    assert.deepEqual((await wl.post('/v1/tasks?checkDuplicates=true', body, options)).body, created.body)

    const inBody = { projectId: 'ACME', title: 'Water the plants', checkDuplicates: true }
    const other = await wl.post('/v1/tasks', inBody)
    assert.equal('checkDuplicates' in other.body.data, false)
    assert.deepEqual(other.body.similar, [])
    assert.equal('similar' in (await wl.post('/v1/tasks', body)).body, false)
    assert.equal((await wl.post('/v1/tasks?checkDuplicates=true', { projectId: 'NONE', title: 'x' })).status, 400)
  })

  it('is not part of a batch', async () => {
    const operations = [
      { method: 'POST', path: '/v1/tasks?checkDuplicates=true', body: { projectId: 'ACME', title: 'A plan' } },
    ]
    const { status, body } = await wl.post('/v1/batch', { operations })
    assert.deepEqual([status, body.error.details[0].path], [400, 'checkDuplicates'])
  })
})
