import assert from 'node:assert/strict'
import { it } from 'node:test'
import { expectStatus } from 'worklore-testing/expect'
import { createProject, createTask, putItem } from 'worklore-testing/factories'
import { describeClient } from 'worklore-testing/service-suite'
import { callTool, post, request } from './messages.js'

describeClient('bad input of MCP', (wl) => {
  it('that is no JSON-RPC is answered as the protocol says', async () => {
    const broken = await post(wl, undefined, { rawBody: '{"jsonrpc": "2.0", "id": 1,' })
    assert.equal(expectStatus(broken, 400).body.error.code, -32_700)
    const empty = await post(wl, undefined, { rawBody: '' })
    assert.equal(expectStatus(empty, 400).body.error.code, -32_700)
    const deep = await post(wl, undefined, { rawBody: `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}` })
    assert.equal(expectStatus(deep, 400).body.error.code, -32_700)
    for (const body of [
      1,
      'text',
      null,
      {},
      [],
      { jsonrpc: '1.0', id: 1, method: 'ping' },
      { id: 1, method: 'ping' },
    ]) {
      const answer = await post(wl, body)
      assert.equal(answer.status, 400, `${JSON.stringify(body)}: ${answer.status} ${answer.text}`)
      assert.ok(answer.body.error.code < 0)
    }
    const text = await post(
      wl,
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { headers: { 'content-type': 'text/plain' } },
    )
    expectStatus(text, 415)
    const html = await post(wl, { jsonrpc: '2.0', id: 1, method: 'ping' }, { headers: { accept: 'text/html' } })
    expectStatus(html, 406)
  })

  it('in a batch is refused, whatever the revision', async () => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_tasks', arguments: {} } }
    for (const version of ['2026-07-28', '2025-11-25', '2025-03-26']) {
      const answer = await post(wl, [message, message], { headers: { 'mcp-protocol-version': version } })
      assert.equal(expectStatus(answer, 400).body.error.code, -32_600, version)
    }
    for (const rawBody of ['[{"id":1,"method":"ping","params":{"a":"\\u0000"}}]', '['.repeat(20_000)]) {
      assert.equal(expectStatus(await post(wl, undefined, { rawBody }), 400).body.error.code, -32_600)
    }
  })

  it('of an unknown revision is refused with those that are known', async () => {
    const version = 'io.modelcontextprotocol/protocolVersion'
    const params = { _meta: { [version]: '2099-01-01' } }
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params }
    const answer = await post(wl, message, { headers: { 'mcp-protocol-version': '2099-01-01' } })
    assert.equal(answer.status, 400, answer.text)
    const old = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    expectStatus(await post(wl, old, { headers: { 'mcp-protocol-version': '1999-01-01' } }), 400)
    const mismatch = await request(wl, 'tools/list', {}, { headers: { 'mcp-method': 'tools/call' } })
    assert.equal(mismatch.status, 400, mismatch.text)
  })

  it('names an unknown tool, method or prompt', async () => {
    const tool = await request(wl, 'tools/call', { name: 'get_taks', arguments: {} })
    assert.deepEqual(
      [tool.body.error.code, tool.body.error.message],
      [-32_602, 'Unknown tool: get_taks; did you mean get_task?'],
    )
    assert.equal((await request(wl, 'tools/dance')).body.error.code, -32_601)
    const listen = await request(wl, 'subscriptions/listen', { notifications: { toolsListChanged: true } })
    assert.equal(expectStatus(listen, 404).body.error.code, -32_601)
    assert.equal((await request(wl, 'prompts/get', { name: 'play' })).body.error.code, -32_602)
    for (const uri of [
      'worklore://task/NONE-1',
      'worklore://knowledge/none',
      'worklore://other/1',
      'x',
      'worklore://task/%ff',
    ]) {
      const { status, body } = await request(wl, 'resources/read', { uri })
      assert.equal(body.error.code, -32_602, uri)
      assert.ok(status < 500)
    }
    const template = { ref: { type: 'ref/resource', uri: 'worklore://none/{id}' }, argument: { name: 'id', value: '' } }
    assert.equal((await request(wl, 'completion/complete', template)).body.error.code, -32_602)
  })

  it('names unknown and wrong arguments, and the nearest known one', async () => {
    const cases: [string, Record<string, unknown>, RegExp][] = [
      ['get_task', { Id: 'A-1' }, /id is required; Id is unknown or read-only; did you mean id\?$/],
      ['get_task', { id: 7 }, /: id must be a string\.$/],
      ['list_tasks', { status: 'open' }, /status must be one of todo, in_progress/],
      ['list_tasks', { lables: ['x'] }, /lables is unknown or read-only; did you mean labels\?$/],
      ['list_tasks', { limit: 0 }, /limit must be at least 1/],
      ['list_tasks', { cursor: 'abc' }, /cursor is invalid; use the cursor from the previous page/],
      ['create_task', { project: 'NONE', title: 'x' }, /: project "NONE" not found\. Projects of this key: /],
      ['create_task', { project: 'BAD', tasks: [{ title: 'x', titel: 'y' }] }, /tasks\.0\.titel is unknown/],
      ['create_task', { project: 'BAD', title: 'x', tasks: [{ title: 'y' }] }, /title cannot be combined with tasks/],
      ['create_task', { project: 'BAD', tasks: [{ name: 'a', title: 'x' }, { title: ' ' }] }, /tasks\.1\.title/],
      [
        'create_task',
        {
          project: 'BAD',
          tasks: [
            { title: 'x', parent: 'b' },
            { name: 'b', title: 'y' },
          ],
        },
        /"b", which must come/,
      ],
      ['update_task', { id: 'BAD-1' }, /: Invalid arguments: nothing to update; set a field, or a claim to renew\.$/],
      ['update_task', { id: 'BAD-1', due: 'soon' }, /: due /],
      [
        'finish_task',
        { id: 'BAD-1', claim: 'BAD-1.1', outcome: 'finished', summary: 'x' },
        /must be one of done, review/,
      ],
      ['write_knowledge', { key: 'a//b', content: 'x' }, /key must not contain an empty segment/],
      ['write_knowledge', { key: 'a', content: 'x', mode: 'edit' }, /old_text is required for edit/],
      ['get_history', { of: 'me', since: 'yesterday' }, /since must be a valid date/],
      ['search', { query: '  ' }, /query must not be blank/],
    ]
    cases.push(
      [
        'create_task',
        { project: 'BAD', title: 'x', blockedBy: [] },
        /blockedBy is unknown .*; did you mean blocked_by\?$/,
      ],
      [
        'finish_task',
        { id: 'BAD-1', claim: 'BAD-1.1', outcome: 'done', result: 'x' },
        /Invalid arguments: summary is required\.$/,
      ],
      ['finish_task', { task_id: 'BAD-1' }, /task_id is unknown or read-only; did you mean id\?/],
      ['get_task', { taskId: 'BAD-1' }, /id is required; taskId is unknown or read-only; did you mean id\?$/],
      ['add_comment', { id: 'BAD-1', body: 'x' }, /body is unknown or read-only; did you mean text\?$/],
      ['write_knowledge', { key: 'a', body: 'x' }, /body is unknown or read-only; did you mean content\?$/],
      ['create_task', { project: 'BAD', title: 'x', body: 'x' }, /body is .*; did you mean description\?$/],
      ['create_task', { projectId: 'BAD', title: 'x' }, /projectId is unknown .*; did you mean project\?$/],
      ['update_task', { id: 'BAD-1', blockedBy: [] }, /blockedBy is unknown .*; did you mean block\?$/],
      [
        'create_task',
        { project: 'BAD', tasks: [{ name: 'a' }] },
        /: tasks\.0\.title is required; did you mean title instead of name\?$/,
      ],
      ['create_task', { project: 'BAD', name: 'a' }, /: name is unknown or read-only; did you mean title\?$/],
      [
        'create_task',
        { project: 'BAD', tasks: [{ subject: 'a' }] },
        /tasks\.0\.title is required; tasks\.0\.subject is unknown or read-only; did you mean title\?$/,
      ],
      ['get_task', { id: 'BAD-1', taskId: 'BAD-2' }, /: taskId is unknown or read-only\.$/],
      ['list_knowledge', { key: 'guides' }, /key is unknown or read-only; did you mean prefix\?$/],
    )
    const recordParameters: Record<string, string> = {
      ...{ get_history: 'of', read_knowledge: 'key', write_knowledge: 'key' },
      ...{ claim_task: 'id', finish_task: 'id', get_task: 'id', update_task: 'id', add_comment: 'id' },
    }
    for (const [name, parameter] of Object.entries(recordParameters)) {
      for (const alias of ['id', 'task_id', 'taskId', 'key'].filter((each) => each !== parameter)) {
        cases.push([name, { [alias]: 'BAD-1' }, new RegExp(`[; ]${alias} is .*; did you mean ${parameter}\\?`)])
      }
    }
    await createProject(wl, { key: 'BAD' })
    for (const [name, args, expected] of cases) {
      const { text, isError } = await callTool(wl, name, args)
      assert.equal(isError, true, `${name} ${JSON.stringify(args)}: ${text}`)
      assert.match(text, /^VALIDATION_ERROR: Invalid arguments: /)
      assert.match(text, expected)
      assert.ok(!text.includes('\n'))
    }
    assert.equal((await wl.get('/v1/tasks?projectId=BAD')).body.data.length, 0)
    const missing = await callTool(wl, 'get_task', { id: 'BAD-9' })
    assert.equal(missing.text, 'NOT_FOUND: Task "BAD-9" not found. list_tasks lists them.')
  })

  it('of a note that is not there is answered with the nearest key and the tool that lists them', async () => {
    for (const key of ['bad/note', 'bad/other-text', 'readme']) await putItem(wl, key, 'Text.')
    const missing = async (key: string) => (await callTool(wl, 'read_knowledge', { key })).text
    const expected = (key: string, near: string) =>
      `NOT_FOUND: Knowledge item "${key}" not found. Did you mean ${near}? list_knowledge lists the keys.`
    assert.equal(await missing('bad/note.md'), expected('bad/note.md', 'bad/note'))
    assert.equal(await missing('Bad/Note'), expected('Bad/Note', 'bad/note'))
    assert.equal(await missing('bad/other_text'), expected('bad/other_text', 'bad/other-text'))
    assert.equal(await missing('README.md'), expected('README.md', 'readme'))
    const far = 'NOT_FOUND: Knowledge item "bad/entirely-different" not found. list_knowledge lists the keys.'
    assert.equal(await missing('bad/entirely-different'), far)
    const edit = { key: 'bad/note.md', mode: 'edit', old_text: 'a', content: 'b' }
    assert.equal((await callTool(wl, 'write_knowledge', edit)).text, expected('bad/note.md', 'bad/note'))
  })

  it('in the links of a plan is told with the names of the plan, as its tasks are not created', async () => {
    await createProject(wl, { key: 'PLAN' })
    const tasks = [
      { name: 'p', title: 'P' },
      { title: 'Between', parent: 'p' },
      { name: 'q & a', title: 'Q', parent: 'p', blocked_by: ['p'] },
    ]
    const refused = await callTool(wl, 'create_task', { project: 'PLAN', tasks })
    assert.equal(
      refused.text,
      'CONFLICT: This would create a dependency cycle: p → "q & a" → p. Remove one of these links first.',
    )
    const unnamed = [tasks[0]!, { title: 'Q', parent: 'p', blocked_by: ['p'] }]
    const { text } = await callTool(wl, 'create_task', { project: 'PLAN', tasks: unnamed })
    assert.match(text, /cycle: p → tasks\.1 → p\./)
  })

  it('in another case than an id, a token or a project has is taken', async () => {
    await createProject(wl, { key: 'CASE' })
    const says = async (name: string, args: Record<string, unknown>): Promise<string> => {
      const { text, isError } = await callTool(wl, name, args)
      assert.equal(isError, false, text)
      return text
    }
    const plan = [
      { name: 'case-1', title: 'First' },
      { title: 'Second', blocked_by: ['case-1'] },
    ]
    assert.match(await says('create_task', { project: 'case', tasks: plan }), /CASE-2 .* blocked by CASE-1$/)
    await says('create_task', { project: 'Case', title: 'Third', parent: 'case-2', blocked_by: ['Case-1'] })
    assert.match(await says('get_task', { id: 'case-3' }), /^CASE-3 .* blocked by CASE-1/)
    assert.match(await says('list_tasks', { project: 'case', parent: 'case-2' }), /^CASE-3 /)
    for (const id of ['case-2', 'case-3']) await says('update_task', { id, unblock: ['case-1'] })
    await says('claim_task', { id: 'case-3' })
    await says('add_comment', { id: 'case-3', claim: 'case-3.1', text: 'x' })
    await says('finish_task', { id: 'case-3', claim: 'case-3.1', outcome: 'done', summary: 'x' })
    assert.match(await says('get_history', { of: 'case-3' }), /task\.released CASE-3/)
    await putItem(wl, 'phase-1', 'Text.')
    assert.match(await says('get_history', { of: 'phase-1' }), /knowledge\.created phase-1/)
    const resource = await request(wl, 'resources/read', { uri: 'worklore://task/case-1' })
    assert.match(resource.body.result.contents[0].text, /^CASE-1 /)
  })

  it('of a summary is called so', async () => {
    await createProject(wl, { key: 'SUM' })
    await createTask(wl, 'SUM')
    await callTool(wl, 'claim_task', { id: 'SUM-1' })
    const finish = { id: 'SUM-1', claim: 'SUM-1.1', outcome: 'done', summary: 'x'.repeat(70_000) }
    const long = await callTool(wl, 'finish_task', finish)
    assert.equal(long.text, 'VALIDATION_ERROR: Invalid arguments: summary must have at most 64 KiB of UTF-8.')
  })

  it('that is too large is refused in words', async () => {
    const large = await callTool(wl, 'write_knowledge', { key: 'large', content: 'x'.repeat(3_000_000) })
    assert.equal(large.isError, true)
    assert.match(large.text, /^PAYLOAD_TOO_LARGE: .*1 MiB/)
    for (const bytes of [5_000_000, 30_000_000]) {
      const rawBody = JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'x'.repeat(bytes) },
      })
      const { error, id, jsonrpc } = expectStatus(await post(wl, undefined, { rawBody }), 413).body
      assert.deepEqual([jsonrpc, id, error.code], ['2.0', null, -32_600])
      assert.equal(error.message, 'PAYLOAD_TOO_LARGE: A message may have at most 4194304 bytes. Send a smaller one.')
    }
  })

  it('that is too large is answered after it was read, so that every client hears of it', async () => {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'x'.repeat(12_000_000) },
    })
    const headers = { authorization: `Bearer ${wl.adminKey}`, 'content-type': 'application/json' }
    for (let at = 0; at < 4; at++) {
      const answer = await fetch(`${wl.baseUrl}/mcp`, { method: 'POST', headers, body })
      assert.equal(answer.status, 413)
      assert.match(await answer.text(), /PAYLOAD_TOO_LARGE/)
    }
  })

  it('that the store cannot keep is refused in the result of the tool', async () => {
    const call = (args: string, id: unknown = 7) =>
      post(wl, undefined, {
        rawBody: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":"tools/call","params":{"name":"add_comment","arguments":${args}}}`,
        headers: { accept: 'application/json, text/event-stream' },
      })
    const many = `[${'1,'.repeat(30_000)}1]`
    const deep = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`
    const cases: [string, RegExp][] = [
      ['{"id":"BAD-1","text":"a\\u0000b"}', /: text must not contain NUL or an unpaired surrogate\.$/],
      ['{"id":"BAD-1","text":"\\ud800"}', /: text must not contain NUL or an unpaired surrogate\.$/],
      ['{"id":"BAD-1","text":"x","\\u0000":1}', /: arguments must not contain NUL or an unpaired surrogate\.$/],
      [`{"id":"BAD-1","text":${many}}`, /: arguments must not contain more than 20000 values\.$/],
      [`{"id":"BAD-1","text":${deep}}`, /: arguments must not be nested deeper than 64 levels\.$/],
      ['{"id":"BAD-1","__proto__":{"a":1}}', /: arguments .*forbidden prototype property/],
    ]
    for (const [args, expected] of cases) {
      const answer = expectStatus(await call(args), 200)
      const { id, result } = JSON.parse(/^data: (.*)$/m.exec(answer.text)?.[1] ?? answer.text)
      assert.equal(id, 7)
      assert.equal(result.isError, true)
      assert.match(result.content[0].text, /^VALIDATION_ERROR: Invalid arguments: /)
      assert.match(result.content[0].text, expected)
    }
    const modern = await callTool(wl, 'add_comment', { id: 'BAD-1', text: '\0' })
    assert.match(modern.text, /^VALIDATION_ERROR: Invalid arguments: text must not contain NUL/)
    const unknown = await request(wl, 'tools/call', { name: 'no_tool', arguments: { a: '\0' } })
    assert.equal(unknown.body.error.code, -32_602)
    const { body } = expectStatus(
      await request(
        wl,
        'resources/read',
        { uri: 'worklore://task/\0' },
        {
          headers: { 'mcp-name': 'x' },
        },
      ),
      200,
    )
    assert.deepEqual([body.id, body.error.code], [1, -32_602])
    assert.match(body.error.message, /^Invalid params: uri must not contain NUL/)
  })

  it('of the parameters of a method is named in plain words', async () => {
    const cases: [string, unknown, RegExp][] = [
      [
        'initialize',
        {},
        /^Invalid params: protocolVersion is required; capabilities is required; clientInfo is required$/,
      ],
      [
        'initialize',
        { protocolVersion: 1, capabilities: {}, clientInfo: {} },
        /protocolVersion must be a string; clientInfo\.name is required; clientInfo\.version/,
      ],
      ['initialize', undefined, /protocolVersion is required/],
      ['prompts/get', {}, /^Invalid params: name is required$/],
      ['prompts/get', { name: 1 }, /^Invalid params: name must be a string$/],
      ['resources/read', {}, /^Invalid params: uri is required$/],
      ['resources/read', { uri: {} }, /^Invalid params: uri must be a string$/],
      ['completion/complete', {}, /ref is invalid; argument is required$/],
      [
        'completion/complete',
        { ref: { type: 'x' }, argument: { name: 'a', value: 1 } },
        /ref is invalid; argument\.value must be a string$/,
      ],
      ['tools/call', {}, /^Invalid params: name is required$/],
      ['tools/call', { name: 'get_task', arguments: [] }, /^Invalid params: arguments must be an object$/],
      ['tools/list', { cursor: 1 }, /^Invalid params: cursor must be a string$/],
      ['tools/call', { name: 'x'.repeat(100_000) }, /^Unknown tool: x{1,200}…x{1,200}$/],
      ['prompts/get', { name: 'x'.repeat(100_000) }, /^Prompt x{1,200}…x{1,200} not found$/],
      ['resources/read', { uri: 'x'.repeat(100_000) }, /^.{1,400}$/],
      [
        'ping',
        { _meta: { 'io.modelcontextprotocol/protocolVersion': 'x'.repeat(100_000) } },
        /^Invalid params: the protocol version is longer than 64 characters$/,
      ],
    ]
    for (const [method, params, expected] of cases) {
      const answer = await post(wl, { jsonrpc: '2.0', id: 'a', method, params })
      const { id, error } = JSON.parse(/^data: (.*)$/m.exec(answer.text)?.[1] ?? answer.text)
      assert.deepEqual([id, error.code], ['a', -32_602], `${method}: ${answer.text.slice(0, 500)}`)
      assert.match(error.message, expected)
      assert.ok(answer.text.length < 1_000, `${method}: ${answer.text.length} characters`)
    }
  })

  it('is repeated by no error at full length', async () => {
    await createProject(wl, { key: 'ECHO' })
    const { id } = await createTask(wl, 'ECHO')
    const long = 'X'.repeat(50_000)
    const cases: [string, Record<string, unknown>][] = [
      ['claim_task', { project: long }],
      ['claim_task', { id: long }],
      ['finish_task', { id, claim: long, outcome: 'done', summary: 'x' }],
      ['finish_task', { id: long, claim: long, outcome: 'done', summary: 'x' }],
      [
        'finish_task',
        {
          id,
          claim: `${id}.1`,
          outcome: 'blocked',
          summary: 'x',
          blocked_by: Array(50)
            .fill(0)
            .map((_, at) => `${long}${at}`),
        },
      ],
      ['get_task', { id: long }],
      ['list_tasks', { project: long }],
      ['list_tasks', { cursor: long.slice(0, 4_000) }],
      ['create_task', { project: long, title: 'x' }],
      ['create_task', { project: 'ECHO', title: 'x', parent: long }],
      [
        'create_task',
        {
          project: 'ECHO',
          title: 'x',
          blocked_by: Array(50)
            .fill(0)
            .map((_, at) => `${long}${at}`),
        },
      ],
      [
        'create_task',
        {
          project: 'ECHO',
          tasks: [
            { title: 'x', parent: 'b'.repeat(64) },
            { name: 'b'.repeat(64), title: 'y' },
          ],
        },
      ],
      ['update_task', { id, assignee: long }],
      ['update_task', { id, parent: long }],
      ['update_task', { id, block: [long] }],
      ['update_task', { id, claim: long }],
      ['update_task', { id, due: long }],
      ['update_task', { id, status: long }],
      ['update_task', { id, [long]: 1 }],
      ['add_comment', { id, text: 'x', claim: long }],
      ['search', { query: 'x', project: long }],
      ['read_knowledge', { key: long }],
      ['read_knowledge', { key: 'k', project: long }],
      ['write_knowledge', { key: long, content: 'x' }],
      ['write_knowledge', { key: 'k', content: 'x', project: long }],
      ['write_knowledge', { key: 'k', content: 'x', claim: long }],
      ['list_knowledge', { project: long }],
      ['get_history', { of: 'me', since: long }],
      ['get_history', { of: 'me', project: long }],
    ]
    for (const [name, args] of cases) {
      const { text, isError } = await callTool(wl, name, args)
      assert.equal(isError, true, `${name} ${Object.keys(args)}`)
      assert.ok(text.length < 3_000, `${name} ${Object.keys(args)}: ${text.length} characters`)
      assert.ok(!text.includes('X'.repeat(600)), `${name} ${Object.keys(args)}`)
    }
    assert.ok((await callTool(wl, 'get_history', { of: long })).text.length < 600)
  })

  it('of a blocker is named by the argument that it came with', async () => {
    await createProject(wl, { key: 'BLOCK' })
    const first = await createTask(wl, 'BLOCK')
    const { id } = await createTask(wl, 'BLOCK', { blockedBy: [first.id] })
    const unknown = (text: string) => `VALIDATION_ERROR: Invalid arguments: ${text} not found. list_tasks lists them.`
    const wrong = await callTool(wl, 'update_task', { id, block: ['BLOCK-99'] })
    assert.equal(wrong.text, unknown('block.0 task "BLOCK-99"'))
    const self = await callTool(wl, 'update_task', { id, block: [first.id, id] })
    assert.equal(self.text, 'CONFLICT: Invalid arguments: block.1 must not contain the task itself.')
    const third = await createTask(wl, 'BLOCK')
    await callTool(wl, 'claim_task', { id: third.id })
    await wl.patch(`/v1/tasks/${third.id}`, { blockedBy: [first.id] })
    const outcome = { id: third.id, claim: `${third.id}.1`, outcome: 'blocked', summary: 'x' }
    const finish = await callTool(wl, 'finish_task', { ...outcome, blocked_by: ['BLOCK-98'] })
    assert.equal(finish.text, unknown('blocked_by.0 task "BLOCK-98"'))
  })

  it('with a cursor of another list starts nothing', async () => {
    await createProject(wl, { key: 'CUR' })
    for (let at = 0; at < 3; at++) await createTask(wl, 'CUR')
    const first = await callTool(wl, 'list_tasks', { project: 'CUR', limit: 2 })
    const cursor = /^2 of 3, more: cursor (\S+)$/m.exec(first.text)![1]!
    const second = await callTool(wl, 'list_tasks', { project: 'CUR', limit: 2, cursor })
    assert.equal(second.text, 'CUR-1 todo medium "A task"\n1 of 3')
    const other = await callTool(wl, 'list_tasks', { project: 'CUR', status: 'done', cursor })
    assert.match(other.text, /^VALIDATION_ERROR: .*cursor was issued for other filters/)
    assert.equal((await callTool(wl, 'list_knowledge', { cursor })).isError, true)
  })
})
