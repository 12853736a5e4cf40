import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { expectError, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask, putItem } from 'worklore-testing/factories'
import { send, startService } from 'worklore-testing/harness'
import { addTenant } from 'worklore-testing/operator'
import { describeClientService } from 'worklore-testing/service-suite'
import { until } from 'worklore-testing/until'
import { callTool, request } from './messages.js'

const toolNames = [
  'claim_task',
  'finish_task',
  'get_task',
  'list_tasks',
  'create_task',
  'update_task',
  'add_comment',
  'ask_question',
  'search',
  'read_knowledge',
  'write_knowledge',
  'list_knowledge',
  'get_history',
]

describeClientService('the gate of MCP', (wl) => {
  const namesFor = async (key: string): Promise<string[]> => {
    const { body } = expectStatus(await request(wl, 'tools/list', {}, { key }), 200)
    return body.result.tools.map(({ name }: { name: string }) => name)
  }

  it('is at /mcp and at /mcp/', async () => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const headers = { accept: 'application/json, text/event-stream' }
    for (const path of ['/mcp', '/mcp/']) {
      const answer = expectStatus(
        await send(wl.baseUrl, 'POST', path, { key: wl.adminKey, body: message, headers }),
        200,
      )
      assert.match(answer.text, /"claim_task"/)
      expectError(await send(wl.baseUrl, 'POST', path, { body: message, headers }), 'UNAUTHORIZED')
      expectError(await send(wl.baseUrl, 'GET', path, { key: wl.adminKey }), 'METHOD_NOT_ALLOWED')
    }
    expectStatus(await send(wl.baseUrl, 'POST', '/mcp//', { key: wl.adminKey, body: message, headers }), 404)
  })

  it('asks for a key, as HTTP does', async () => {
    for (const key of [null, 'wl_live_wrong']) {
      const answer = await request(wl, 'tools/list', {}, { key })
      expectError(answer, 'UNAUTHORIZED')
      assert.equal(answer.headers['www-authenticate'], 'Bearer')
      assert.ok(answer.headers['x-ratelimit-limit'])
    }
    for (const path of ['/.well-known/oauth-protected-resource', '/.well-known/oauth-authorization-server/mcp']) {
      expectStatus(await send(wl.baseUrl, 'GET', path), 404)
    }
    const { key, id } = await createKey(wl)
    assert.ok((await namesFor(key)).length > 0)
    await wl.delete(`/v1/keys/${id}`)
    expectError(await request(wl, 'tools/list', {}, { key }), 'UNAUTHORIZED')
  })

  it('takes POST alone', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const answer = await send(wl.baseUrl, method, '/mcp', { key: wl.adminKey })
      assert.equal(expectStatus(answer, 405).headers.allow, 'POST')
    }
    assert.equal((await wl.get('/openapi.json')).body.paths['/mcp'], undefined)
  })

  it('keeps pages of unknown origins out', async () => {
    const from = (origin: string) => request(wl, 'tools/list', {}, { headers: { origin } })
    for (const origin of [
      'https://evil.example',
      'null',
      'http://localhost.evil.example',
      'http://127.0.0.1.example',
    ]) {
      expectError(await from(origin), 'FORBIDDEN')
    }
    for (const origin of ['http://localhost:6274', 'http://127.0.0.1:8787', 'https://[::1]']) {
      expectStatus(await from(origin), 200)
    }
  })

  it('says what a tool does to the records', async () => {
    const { tools } = (await request(wl, 'tools/list')).body.result
    const reads = ['get_task', 'list_tasks', 'search', 'read_knowledge', 'list_knowledge', 'get_history']
    for (const { name, annotations } of tools) {
      if (reads.includes(name)) assert.deepEqual(annotations, { readOnlyHint: true }, name)
      else assert.equal(typeof annotations.destructiveHint, 'boolean', name)
    }
    const named = (hint: string) =>
      tools
        .filter(({ annotations }: { annotations: Record<string, boolean> }) => annotations[hint] === true)
        .map(({ name }: { name: string }) => name)
    assert.deepEqual(named('destructiveHint'), ['update_task', 'write_knowledge'])
    assert.deepEqual(named('idempotentHint'), ['update_task'])
  })

  it('offers the tools that the scopes of a key allow, in a fixed order', async () => {
    assert.deepEqual(await namesFor(wl.adminKey), toolNames)
    const reader = await createKey(wl, { scopes: ['tasks:read'] })
    assert.deepEqual(await namesFor(reader.key), ['get_task', 'list_tasks', 'search', 'get_history'])
    const writer = await createKey(wl, { scopes: ['knowledge:write'] })
    const ofKnowledge = ['search', 'read_knowledge', 'write_knowledge', 'list_knowledge', 'get_history']
    assert.deepEqual(await namesFor(writer.key), ofKnowledge)
    const templates = await request(wl, 'resources/templates/list', {}, { key: writer.key })
    assert.deepEqual(
      templates.body.result.resourceTemplates.map(({ name }: { name: string }) => name),
      ['knowledge'],
    )
  })

  it('names the scope that a tool lacks', async () => {
    await createProject(wl, { key: 'SCOPE' })
    await createTask(wl, 'SCOPE')
    await putItem(wl, 'scope/note', 'Text')
    const { key } = await createKey(wl, { scopes: ['tasks:read'] })
    const refused: [string, Record<string, unknown>, string][] = [
      ['claim_task', {}, 'tasks:write'],
      ['create_task', { project: 'SCOPE', title: 'x' }, 'tasks:write'],
      ['update_task', { id: 'SCOPE-1', title: 'x' }, 'tasks:write'],
      ['add_comment', { id: 'SCOPE-1', text: 'x' }, 'tasks:write'],
      ['read_knowledge', { key: 'scope/note' }, 'knowledge:read'],
      ['write_knowledge', { key: 'scope/note', content: 'x' }, 'knowledge:write'],
      ['list_knowledge', {}, 'knowledge:read'],
      ['search', { query: 'text', in: 'knowledge' }, 'knowledge:read'],
      ['get_history', { of: 'scope/note' }, 'knowledge:read'],
    ]
    for (const [name, args, scope] of refused) {
      const { text, isError } = await callTool(wl, name, args, { key })
      assert.equal(isError, true, name)
      assert.ok(text.startsWith(`FORBIDDEN: This key lacks the scope "${scope}".`), `${name}: ${text}`)
    }
    const refusals = await until(
      async () => (await wl.get('/v1/audit?action=scope.refused')).body.data,
      (entries) => entries.length > 0,
    )
    assert.ok(refusals.every(({ via }: { via: string }) => via === 'mcp'))
    assert.ok(refusals.length > 0)
    const found = await callTool(wl, 'search', { query: 'text' }, { key })
    assert.ok(!found.text.includes('scope/note'))
    const named = await callTool(wl, 'get_task', { id: 'SCOPE-1' }, { key })
    assert.equal(named.isError, false)
    const read = await request(wl, 'resources/read', { uri: 'worklore://knowledge/scope/note' }, { key })
    assert.equal(read.body.error.code, -32_602)
    assert.equal((await wl.get('/v1/tasks/SCOPE-1')).body.data.version, 1)
  })

  it('shows nothing of another tenant', async () => {
    const key = await addTenant(wl)
    await createProject(wl, { key: 'HERE' })
    await createTask(wl, 'HERE', { title: 'Of the first tenant' })
    await putItem(wl, 'here/note', 'Of the first tenant')
    for (const [name, args] of [
      ['get_task', { id: 'HERE-1' }],
      ['claim_task', { id: 'HERE-1' }],
      ['finish_task', { id: 'HERE-1', claim: 'HERE-1.1', outcome: 'done', summary: 'x' }],
      ['update_task', { id: 'HERE-1', title: 'x' }],
      ['add_comment', { id: 'HERE-1', text: 'x' }],
      ['create_task', { project: 'HERE', title: 'x' }],
      ['list_tasks', { project: 'HERE' }],
      ['read_knowledge', { key: 'here/note' }],
      ['write_knowledge', { key: 'here/note', content: 'x', mode: 'edit', old_text: 'Of' }],
    ] as const) {
      const { text, isError } = await callTool(wl, name, args, { key })
      assert.equal(isError, true, name)
      const missing = JSON.parse(JSON.stringify(args).replaceAll('HERE', 'NONE').replaceAll('here/', 'none/'))
      const answer = await callTool(wl, name, missing, { key })
      assert.equal(text.replaceAll('HERE', 'NONE').replaceAll('here/', 'none/'), answer.text)
    }
    for (const [name, args] of [
      ['list_tasks', {}],
      ['claim_task', {}],
      ['search', { query: 'tenant' }],
      ['list_knowledge', {}],
      ['get_history', { of: 'HERE-1' }],
      ['get_history', { of: 'here/note' }],
    ] as const) {
      const { text } = await callTool(wl, name, args, { key })
      assert.ok(!/HERE-1 (todo|v1)|here\/note v|first tenant/.test(text), `${name}: ${text}`)
    }
  })

  it('keeps a key in its projects', async () => {
    const mine = await createProject(wl, { key: 'MINE' })
    await createProject(wl, { key: 'THEIRS' })
    await createTask(wl, 'THEIRS', { title: 'Not for you' })
    await putItem(wl, 'their/note', 'Not for you', { projectId: 'THEIRS' })
    const { key } = await createKey(wl, { scopes: ['tasks:write', 'knowledge:write'], projectIds: [mine.id] })
    const calls: [string, Record<string, unknown>][] = [
      ['get_task', { id: 'THEIRS-1' }],
      ['claim_task', { id: 'THEIRS-1' }],
      ['claim_task', { project: 'THEIRS' }],
      ['create_task', { project: 'THEIRS', title: 'x' }],
      ['create_task', { project: 'MINE', tasks: [{ title: 'x', blocked_by: ['THEIRS-1'] }] }],
      ['update_task', { id: 'THEIRS-1', title: 'x' }],
      ['add_comment', { id: 'THEIRS-1', text: 'x' }],
      ['list_tasks', { project: 'THEIRS' }],
      ['search', { query: 'you', project: 'THEIRS' }],
      ['read_knowledge', { key: 'their/note' }],
      ['read_knowledge', { key: 'their/note', project: 'THEIRS' }],
      ['write_knowledge', { key: 'their/note', content: 'x', project: 'THEIRS' }],
      ['write_knowledge', { key: 'their/note', content: 'x' }],
      ['list_knowledge', { project: 'THEIRS' }],
      ['get_history', { of: 'THEIRS-1', project: 'THEIRS' }],
    ]
    for (const [name, args] of calls) {
      const { text, isError } = await callTool(wl, name, args, { key })
      assert.equal(isError, true, `${name} ${JSON.stringify(args)}: ${text}`)
      assert.match(text, /^(FORBIDDEN|VALIDATION_ERROR): /)
      assert.ok(!text.includes('Not for you'))
    }
    const { text } = await callTool(wl, 'list_tasks', { project: 'THEIRS' }, { key })
    assert.match(text, /Projects of this key: MINE\.$/)
    for (const [name, args] of [
      ['list_tasks', {}],
      ['list_knowledge', {}],
      ['search', { query: 'you' }],
      ['get_history', { of: 'THEIRS-1' }],
      ['get_history', { of: 'their/note' }],
    ] as const) {
      const answer = await callTool(wl, name, args, { key })
      assert.ok(!/THEIRS-1 (todo|v1)|their\/note v|Not for you/.test(answer.text), answer.text)
    }
    const completed = await request(
      wl,
      'completion/complete',
      { ref: { type: 'ref/resource', uri: 'worklore://task/{id}' }, argument: { name: 'id', value: 'THEIRS' } },
      { key },
    )
    assert.deepEqual(completed.body.result.completion.values, [])
  })
})

describe('pages of named origins', () => {
  it('are let in by the gate of MCP', async (test) => {
    const origin = 'https://app.example'
    const wl = await startService(engines[0]!, { config: { corsOrigins: [origin] } })
    test.after(() => wl.stop())
    const answer = expectStatus(await request(wl, 'tools/list', {}, { headers: { origin } }), 200)
    assert.equal(answer.headers['access-control-allow-origin'], origin)
    expectError(await request(wl, 'tools/list', {}, { headers: { origin: 'https://other.example' } }), 'FORBIDDEN')
    const asked = { origin, 'access-control-request-method': 'POST' }
    expectStatus(await send(wl.baseUrl, 'OPTIONS', '/mcp', { headers: asked }), 204)
  })
})

describe('the limits of MCP', () => {
  for (const engine of engines) {
    it(`are those of HTTP, counted once, on ${engine.name}`, async (test) => {
      const wl = await startService(engine, { config: { plan: 'free' } })
      test.after(() => wl.stop())
      await createProject(wl, { key: 'LIM' })
      const left = async (name: string): Promise<number> => {
        const { limits } = (await wl.get('/v1/me')).body.data
        return limits.find((each: { name: string }) => each.name === name).remaining
      }
      const requests = await left('requests per minute')
      const searches = await left('searches per minute')
      const creates = await left('task creates per hour')
      await callTool(wl, 'search', { query: 'x' })
      await callTool(wl, 'create_task', { project: 'LIM', tasks: [{ title: 'a' }, { title: 'b' }, { title: 'c' }] })
      const invalid = await callTool(wl, 'create_task', { project: 'LIM' })
      assert.equal(invalid.isError, true)
      assert.equal(await left('searches per minute'), searches - 2)
      assert.equal(await left('task creates per hour'), creates - 4)
      // Three reads of /v1/me before and two after, and three calls.
      assert.equal(await left('requests per minute'), requests - 8)

      let refused = { text: '', isError: false }
      for (let at = 0; at < 16 && !refused.isError; at++) {
        refused = await callTool(wl, 'search', { query: 'x', in: 'tasks' })
        if (refused.isError) break
        refused = await callTool(wl, 'search', { query: 'x', in: 'knowledge' })
      }
      assert.match(
        refused.text,
        /^RATE_LIMIT_EXCEEDED: Rate limit exceeded: the free plan allows 30 searches per minute\. Wait, or ask the operator for a larger plan\. \(retry in \d+ s\)$/,
      )
      for (let at = 0; at < 60; at++) {
        const answer = await request(wl, 'ping')
        if (answer.status === 429) break
      }
      const overall = await callTool(wl, 'get_task', { id: 'LIM-1' })
      assert.equal(overall.isError, true)
      assert.match(overall.text, /^RATE_LIMIT_EXCEEDED: .*requests per minute.* \(retry in \d+ s\)$/)
      const listed = await request(wl, 'tools/list')
      const { retryAfter } = expectError(listed, 'RATE_LIMIT_EXCEEDED')
      assert.equal(listed.headers['retry-after'], String(retryAfter))
      assert.equal(listed.headers['x-ratelimit-remaining'], '0')
      wl.passTime(61_000)
      assert.equal((await callTool(wl, 'get_task', { id: 'LIM-1' })).isError, false)
    })
  }
})
