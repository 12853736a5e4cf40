import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { expectError, expectInvalid, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask, createUser, putItem } from 'worklore-testing/factories'
import type { Answer } from 'worklore-testing/harness'
import { describeTenant } from 'worklore-testing/service-suite'
import { callTool } from '../mcp/messages.js'

describeTenant('viewers of a project', (wl) => {
  let project: { id: string; key: string }
  let userId: string
  let key: string

  const setRole = async (role: 'member' | 'viewer') => {
    expectStatus(await wl.put(`/v1/projects/${project.id}/members/${userId}`, { role }), 200)
  }

  const expectRoleRefusal = (answer: Answer): void => {
    assert.equal(expectError(answer, 'FORBIDDEN').reason, 'role', answer.text)
  }

  before(async () => {
    project = await createProject(wl)
    userId = (await createUser(wl)).id
    key = (await createKey(wl, { scopes: ['tasks:write', 'knowledge:write'], userId })).key
    await setRole('viewer')
  })

  it('cannot change an item whose project they do not name', async () => {
    await putItem(wl, 'viewed/item', 'kept', { projectId: project.id })
    const path = '/v1/knowledge/viewed/item'
    const named = { key: 'viewed/item' }
    expectRoleRefusal(await wl.put(path, { content: 'other' }, { key }))
    for (const version of ['"1"', '"7"']) {
      expectRoleRefusal(await wl.put(path, { content: 'other' }, { key, headers: { 'if-match': version } }))
    }
    expectRoleRefusal(await wl.patch(path, { content: 'other' }, { key }))
    expectRoleRefusal(await wl.delete(path, { key }))
    expectRoleRefusal(await wl.post('/v1/knowledge/verdict', { ...named, version: 1, trust: 'disputed' }, { key }))
    expectRoleRefusal(await wl.post('/v1/knowledge/retract', { ...named, reason: 'wrong' }, { key }))
    expectRoleRefusal(await wl.post('/v1/knowledge/stale/accept', named, { key }))
    expectRoleRefusal(await wl.post('/v1/knowledge/move', { from: named.key, to: 'viewed/moved' }, { key }))
    expectRoleRefusal(await wl.post('/v1/history/restore', { knowledge: named.key, version: 1 }, { key }))
    const operations = [{ method: 'PUT', path, body: { content: 'other' } }]
    expectRoleRefusal(await wl.post('/v1/batch', { operations }, { key }))
    for (const mode of ['replace', 'append']) {
      const { text, isError } = await callTool(wl, 'write_knowledge', { ...named, mode, content: 'other' }, { key })
      assert.ok(isError && /^FORBIDDEN: Your role in this project is viewer/.test(text), text)
    }
    const { content, version } = (await wl.get(path)).body.data
    assert.deepEqual([content, version], ['kept', 1])
  })

  it('comment by MCP, and answer no questions', async () => {
    const { id } = await createTask(wl, project.id)
    const added = await callTool(wl, 'add_comment', { id, text: 'Seen.' }, { key })
    assert.match(added.text, new RegExp(`^cmt_\\S+ added to ${id}$`))
    const question = expectStatus(await wl.post(`/v1/tasks/${id}/questions`, { body: 'Why?' }), 201).body.data.id
    for (const [tool, args] of [
      ['add_comment', { id: question, text: 'Because.' }],
      ['update_task', { id, title: 'other' }],
      ['ask_question', { id, text: 'Why?' }],
      ['claim_task', { id }],
      ['create_task', { project: project.key, title: 'new' }],
    ] as const) {
      const { text, isError } = await callTool(wl, tool, args, { key })
      assert.ok(isError && /^FORBIDDEN: Your role in this project is viewer/.test(text), `${tool}: ${text}`)
    }
  })

  it('neither renew nor use a claim that they took as members', async () => {
    await setRole('member')
    const { id } = await createTask(wl, project.id)
    const elsewhere = await createTask(wl, (await createProject(wl)).id)
    const claimed = expectStatus(await wl.post(`/v1/tasks/${id}/claim`, {}, { key }), 200).body.data
    const { token } = claimed.claim
    await setRole('viewer')
    await putItem(wl, 'read/under-claim', 'text')
    const headers = { 'worklore-claim': token }
    for (const taskId of [id, elsewhere.id]) {
      expectRoleRefusal(await wl.post(`/v1/tasks/${taskId}/comments`, { body: 'Mine.' }, { key, headers }))
      const { text } = await callTool(wl, 'add_comment', { id: taskId, text: 'Mine.', claim: token }, { key })
      assert.match(text, /^FORBIDDEN: Your role in this project is viewer/)
    }
    expectRoleRefusal(await wl.patch(`/v1/tasks/${elsewhere.id}`, { title: 'other' }, { key, headers }))
    expectRoleRefusal(await wl.post(`/v1/tasks/${id}/renew`, {}, { key, headers }))
    expectStatus(await wl.get('/v1/knowledge/read/under-claim', { key, headers }), 200)
    assert.deepEqual((await wl.get(`/v1/tasks/${id}/basis`)).body.data, [])
    const { claim, commentCount } = (await wl.get(`/v1/tasks/${id}`)).body.data
    assert.deepEqual([claim, commentCount], [claimed.claim, 0])
    expectStatus(await wl.post(`/v1/tasks/${id}/comments`, { body: 'Without it.' }, { key }), 201)
  })

  it('are refused before anything is said about the statuses of the project', async () => {
    const other = await createProject(wl)
    const limited = (await createKey(wl, { projectIds: [other.id] })).key
    const task = { projectId: project.id, title: 'new', status: 'zzz' }
    expectRoleRefusal(await wl.post('/v1/tasks', task, { key }))
    expectRoleRefusal(await wl.post('/v1/tasks', { ...task, status: 'todo', parentId: 'NONE-1' }, { key }))
    const refused = expectError(await wl.post('/v1/tasks', task, { key: limited }), 'FORBIDDEN')
    assert.equal(refused.requiredProject, project.id)
    expectInvalid(await wl.post('/v1/tasks', { ...task, title: '' }, { key }), 'title')
  })

  it('find no task of it ready, and none to verify', async () => {
    const label = 'only-viewed'
    await createTask(wl, project.id, { labels: [label] })
    const inReview = await createTask(wl, project.id, { labels: [label], checks: [{ text: 'It works.' }] })
    expectStatus(await wl.patch(`/v1/tasks/${inReview.id}`, { status: 'in_review' }), 200)
    const counts = async (filter: string, asked = key): Promise<number[]> => {
      const found: number[] = []
      for (const query of [`label=${label}&${filter}`, `label=${label}&${filter}&projectId=${project.id}`])
        found.push(expectStatus(await wl.get(`/v1/tasks?${query}`, { key: asked }), 200).body.data.length)
      return found
    }
    assert.deepEqual(await counts('limit=10'), [2, 2])
    const { key: reviewer } = await createKey(wl)
    for (const filter of ['ready=true', 'canVerify=true']) {
      assert.deepEqual(await counts(filter, reviewer), [1, 1], filter)
      assert.deepEqual(await counts(filter), [0, 0], filter)
    }
    assert.deepEqual(await counts('ready=false', reviewer), [1, 1])
    assert.deepEqual(await counts('ready=false'), [2, 2])
    const readyCards = async (asked: string): Promise<boolean[]> => {
      const { data } = expectStatus(await wl.get(`/v1/tasks/cards?label=${label}`, { key: asked }), 200).body
      return data.map(({ ready }: { ready: boolean }) => ready)
    }
    assert.deepEqual(await readyCards(reviewer), [false, true])
    assert.deepEqual(await readyCards(key), [false, false])
  })

  it('restore comments of their own, and nothing else', async () => {
    const { id } = await createTask(wl, project.id)
    const comments = `/v1/tasks/${id}/comments`
    const deletedEntry = async (path: string): Promise<string> => {
      expectStatus(await wl.delete(path), 200)
      return (await wl.get('/v1/trash?limit=1')).body.data[0].id
    }
    const own = expectStatus(await wl.post(comments, { body: 'Mine.' }, { key }), 201).body.data.id
    const restore = async (entry: string) => wl.post(`/v1/trash/${entry}/restore`, {}, { key })
    expectStatus(await restore(await deletedEntry(`${comments}/${own}`)), 200)
    assert.equal((await wl.get(`${comments}/${own}`)).body.data.body, 'Mine.')
    const other = expectStatus(await wl.post(comments, { body: 'Not theirs.' }), 201).body.data.id
    expectError(await restore(await deletedEntry(`${comments}/${other}`)), 'FORBIDDEN')
    expectRoleRefusal(await restore(await deletedEntry(`/v1/tasks/${id}`)))
  })
})
