import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { it, type TestContext } from 'node:test'
import { createKey, createProject, createTask, putItem } from 'worklore-testing/factories'
import { describeClient } from 'worklore-testing/service-suite'
import { until } from 'worklore-testing/until'
import { createUser, userFor } from './wl.js'

/** Passes requests on to the service, and tells the claim of each GET of a note. */
const startProxy = async (test: TestContext, target: string): Promise<{ url: string; claims: unknown[] }> => {
  const claims: unknown[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = 'GET', url, headers } = request
    if (method === 'GET' && url!.startsWith('/v1/knowledge/')) claims.push(headers['worklore-claim'])
    const { authorization, 'content-type': type } = headers
    const answer = await fetch(target + url, {
      method,
      headers: { authorization: authorization!, ...(type && { 'content-type': type }) },
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    })
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  test.after(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, claims }
}

describeClient('the state and trust of notes with wl', (service) => {
  it('sets fields with the text or without it, and shows them', async (test) => {
    const user = userFor(test, service)
    await createProject(service, { key: 'FIELDS' })
    const fields = ['--title', 'Setup on Linux', '--tag', 'linux,setup', '--source', 'The manual, page 4']
    await user.wl('note', 'put', 'fields/setup', '-m', 'Install it.', '-p', 'FIELDS', ...fields)
    await user.wl('note', 'put', 'fields/setup', '-m', 'Install it now.')
    const shown = await user.wl('note', 'show', 'fields/setup')
    assert.match(shown, /^fields\/setup Setup on Linux\n\nproject\tFIELDS\nstate\tcurrent\ntrust\tunreviewed\n/)
    assert.match(shown, /\ntags\tlinux, setup\nsource\tThe manual, page 4\n/)
    assert.match(shown, /\nupdated\t[^\n]+ by admin \(version 2\)\n\nInstall it now\.\n$/)

    const written = await user.wl('note', 'edit', 'fields/setup', '--valid-until', '2020-01-01', '--tag', 'none')
    assert.equal(written, 'fields/setup\t3\n')
    const { data } = await user.json('note', 'show', 'fields/setup')
    assert.deepEqual([data.tags, data.state, data.title], [[], 'expired', 'Setup on Linux'])
    const { stdout, stderr } = await user.run(['note', 'get', 'fields/setup'])
    assert.deepEqual([stdout, stderr], ['Install it now.', 'fields/setup is expired on 2020-01-01 00:00\n'])
    await user.wl('note', 'edit', 'fields/setup', '--valid-until', '30d', '--title', 'none')
    const later = (await user.json('note', 'show', 'fields/setup')).data
    assert.deepEqual([later.state, later.title], ['current', null])
    const wrong = await user.run(['note', 'edit', 'fields/setup', '--valid-until', 'soon'])
    assert.equal(wrong.code, 2)
  })

  it('supersedes a note, and lists by state, trust and tag', async (test) => {
    const user = userFor(test, service)
    await user.wl('note', 'put', 'way/1', '-m', 'By foot')
    await user.wl('note', 'put', 'way/2', '-m', 'By bike', '--supersedes', 'way/1', '--tag', 'fast')
    await user.wl('note', 'put', 'way/3', '-m', 'By train')
    assert.match(await user.wl('note', 'show', 'way/1'), /\nstate\tsuperseded by way\/2\n/)
    assert.equal(await user.wl('note', 'supersede', 'way/2', 'way/3'), 'way/3\t2\n')
    assert.equal(await user.wl('notes', 'way/', '--state', 'superseded', '-q'), 'way/1\nway/2\n')
    assert.equal(await user.wl('notes', 'way/', '--tag', 'fast', '-q'), 'way/2\n')
    assert.equal(await user.wl('notes', 'way/', '--stale', '-q'), '')
    const taken = await user.run(['note', 'supersede', 'way/1', 'way/3'])
    assert.deepEqual(
      [taken.code, taken.stderr],
      [5, 'wl: "way/1" is already superseded by "way/2". Supersede that one instead.\n'],
    )
    assert.equal((await user.run(['note', 'supersede', 'way/3', 'way/1'])).code, 5)
    await user.wl('note', 'supersede', 'way/2', 'way/3', '--undo')
    assert.equal(await user.wl('notes', 'way/', '--state', 'current', '-q'), 'way/2\nway/3\n')
    const unknown = await user.run(['notes', '--state', 'old'])
    assert.deepEqual([unknown.code, /^wl: --state must be one of/.test(unknown.stderr)], [2, true])
  })

  it('verifies, disputes and retracts, and takes it back', async (test) => {
    const user = userFor(test, service)
    const { key } = await createKey(service, { name: 'reviewer', scopes: ['knowledge:write'] })
    const reviewer = createUser(service.baseUrl, key)
    test.after(() => reviewer.remove())
    await user.wl('note', 'put', 'fact/port', '-m', '8787')
    const own = await user.run(['note', 'verify', 'fact/port'])
    assert.deepEqual([own.code, /must be verified by someone else/.test(own.stderr)], [4, true])
    assert.equal(await reviewer.wl('note', 'verify', 'fact/port', '-m', 'Tried it'), 'fact/port\t2\n')
    assert.match(await user.wl('notes', 'fact/'), /\tcurrent, verified\tfact\/port\n$/)
    assert.match(await user.wl('note', 'show', 'fact/port'), /\ntrust\tverified by reviewer, [^\n]+: Tried it\n/)
    assert.equal((await user.run(['note', 'dispute', 'fact/port', '--if-version', '1'])).code, 5)
    await user.wl('note', 'dispute', 'fact/port', '--note', 'It moved', '--if-version', '2')
    assert.equal(await user.wl('notes', 'fact/', '--trust', 'disputed', '-q'), 'fact/port\n')
    await user.wl('note', 'dispute', 'fact/port', '--undo')
    assert.equal((await user.json('note', 'show', 'fact/port')).data.trust, 'unreviewed')

    const silent = await user.run(['note', 'retract', 'fact/port'])
    assert.deepEqual([silent.code, silent.stderr], [2, 'wl: Say why with --reason TEXT, or use --undo.\n'])
    await user.wl('note', 'retract', 'fact/port', '--reason', 'Wrong machine')
    const { stdout, stderr } = await user.run(['note', 'get', 'fact/port'])
    assert.deepEqual([stdout, stderr], ['8787', 'fact/port is retracted: Wrong machine\n'])
    assert.match(
      await user.wl('note', 'show', 'fact/port'),
      /\nstate\tretracted: Wrong machine\nretracted\t.* by admin\n/,
    )
    await user.wl('note', 'retract', 'fact/port', '--undo')
    assert.equal((await user.json('note', 'show', 'fact/port')).data.state, 'current')
  })

  it('lists links both ways', async (test) => {
    const user = userFor(test, service)
    await createProject(service, { key: 'LINK' })
    await putItem(service, 'net/a', 'See [[net/b]], [[net/none]] and LINK-7.', { title: 'Start' })
    await putItem(service, 'net/b', 'B')
    assert.equal(
      await user.wl('note', 'links', 'net/a'),
      '\tnote\tnet/b\t\n\tnote\tnet/none\tnot found\n\ttask\tLINK-7\tnot found\n',
    )
    assert.equal(await user.wl('note', 'links', 'net/b', '--in'), '\tnote\tnet/a\tStart\n')
    const { data } = await user.json('note', 'links', 'net/b', '--in')
    assert.deepEqual(data, [{ key: 'net/a', projectId: null, title: 'Start' }])
  })

  it('says where a note was moved, and shows it there', async (test) => {
    const user = userFor(test, service)
    await user.wl('note', 'put', 'old/place', '-m', 'Here')
    await user.wl('note', 'mv', 'old/place', 'new/place')
    const gone = await user.run(['note', 'get', 'old/place'])
    assert.deepEqual([gone.code, gone.stderr], [3, 'wl: Knowledge item "old/place" was moved to "new/place".\n'])
    const shown = await user.run(['note', 'show', 'old/place'])
    assert.deepEqual([shown.code, shown.stderr], [0, 'old/place was moved to new/place.\n'])
    assert.match(shown.stdout, /^new\/place\n[\s\S]*\n\nHere\n$/)
  })

  it('reads notes under the claim that was taken in the folder, unless there are several', async (test) => {
    const proxy = await startProxy(test, service.baseUrl)
    const user = createUser(proxy.url, service.adminKey)
    test.after(() => user.remove())
    await createProject(service, { key: 'BASIS' })
    const [one, two] = [await createTask(service, 'BASIS'), await createTask(service, 'BASIS')]
    await putItem(service, 'basis/note', 'x')
    await user.wl('note', 'get', 'basis/note')
    const { token } = (await user.json('claim', one.id)).data.claim
    await user.wl('note', 'get', 'basis/note')
    await user.wl('note', 'show', 'basis/note')
    await user.wl('claim', two.id)
    await user.wl('note', 'get', 'basis/note')
    await user.wl('note', 'get', 'basis/note', '--claim-token', token)
    assert.deepEqual(proxy.claims, [undefined, token, token, undefined, token])
  })

  it('writes notes under the claim that was taken in the folder, and not after it was lost', async (test) => {
    const user = userFor(test, service)
    await createProject(service, { key: 'WROTE' })
    const { id } = await createTask(service, 'WROTE')
    for (const key of ['wrote/basis', 'wrote/edited', 'wrote/before']) await user.wl('note', 'put', key, '-m', 'x')
    await user.wl('claim', id)
    await user.wl('note', 'get', 'wrote/basis')
    await user.wl('note', 'put', 'wrote/put', '-m', 'x')
    await user.wl('note', 'append', 'wrote/appended', '-m', 'x')
    await user.wl('note', 'edit', 'wrote/edited', '--title', 'Edited')
    const dependents = async (): Promise<string[]> => {
      const { data } = (await service.get('/v1/dependents?key=wrote/basis')).body
      return data.map(({ task, key }: { task?: string; key?: string }) => task ?? key).sort()
    }
    const written = await until(dependents, ({ length }) => length === 4)
    assert.deepEqual(written, [id, 'wrote/appended', 'wrote/edited', 'wrote/put'])

    await service.patch(`/v1/tasks/${id}`, { status: 'todo' })
    const { code } = await user.run(['note', 'put', 'wrote/late', '-m', 'x'])
    assert.equal(code, 5)
    assert.equal((await service.get('/v1/knowledge/wrote/late')).status, 404)
  })

  it('tells which tasks and notes are stale, and accepts them', async (test) => {
    const user = userFor(test, service)
    await createProject(service, { key: 'STALE' })
    await putItem(service, 'stale/basis', 'Guess.')
    const { id } = await createTask(service, 'STALE')
    const { claim } = (await service.post(`/v1/tasks/${id}/claim`, {})).body.data
    const under = { headers: { 'worklore-claim': claim.token } }
    await service.get('/v1/knowledge/stale/basis', under)
    await putItem(service, 'stale/product', 'Built on it.', {}, under)
    await user.wl('note', 'retract', 'stale/basis', '-m', 'It was a guess.')
    const stale = /\nstale\tstale\/basis \(retracted\)\n/
    await until(
      () => user.wl('show', id),
      (shown) => stale.test(shown),
    )
    assert.match(await user.wl('ls', '-p', 'STALE', '--stale'), new RegExp(`^${id}\t`))
    await until(
      () => user.wl('note', 'show', 'stale/product'),
      (shown) => stale.test(shown),
    )
    assert.equal(await user.wl('accept-stale', id), `${id}\n`)
    await user.wl('note', 'accept-stale', 'stale/product')
    assert.doesNotMatch(await user.wl('show', id), stale)
    assert.equal((await user.run(['ls', '-p', 'STALE', '--stale'])).stdout, '')
    assert.equal((await user.run(['notes', 'stale/', '--stale'])).stdout, '')
  })
})
