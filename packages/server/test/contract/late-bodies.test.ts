import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { addKey, signIn } from 'worklore-testing/console-session'
import { expectError, expectStatus } from 'worklore-testing/expect'
import { createProject, createTask } from 'worklore-testing/factories'
import type { RequestOptions } from 'worklore-testing/harness'
import { exampleOf, fillPath, type Operation, readOperations } from 'worklore-testing/operations'
import { describeService } from 'worklore-testing/service-suite'
import { type Call, interfaces } from '../../src/operations/call.js'
import { claimNext, claimTask, resolveNext } from '../../src/work/tasks/claims/service.js'
import { beginRequest, type LateRequest } from '../late-request.js'

describeService('a write whose body comes after its key was revoked', (wl) => {
  let taskId: string
  before(async () => {
    await createProject(wl, { key: 'LATE' })
    taskId = (await createTask(wl, 'LATE')).id
  })

  const begin = (method: string, path: string, options: RequestOptions): Promise<LateRequest> =>
    beginRequest(wl.baseUrl, method, path, options)

  /** The answer to a request of a key that is revoked between its headers and its body. */
  const outlived = async (method: string, path: string, body: unknown, headers: Record<string, string> = {}) => {
    const { id, key } = await addKey(wl)
    const late = await begin(method, path, { key, body, headers })
    expectStatus(await wl.delete(`/v1/keys/${id}`), 200)
    return late.finish()
  }

  it('makes no key, whatever program it says to come from', async () => {
    for (const agent of ['worklore-cli/9.9.9', 'worklore-cli/9.9.9 node/20.0.0', 'curl/8']) {
      const answer = await outlived('POST', '/v1/keys', { name: 'lasting', scopes: ['admin'] }, { 'user-agent': agent })
      assert.equal(expectError(answer, 'UNAUTHORIZED').reason, 'revoked', agent)
    }
    const { data } = (await wl.get('/v1/keys?limit=100')).body
    assert.ok(!data.some(({ name }: { name: string }) => name === 'lasting'))
  })

  it('is refused at every operation, before its input is looked at', async () => {
    const writes = (await readOperations(wl)).filter(({ method, isOpen }) => method !== 'GET' && !isOpen)
    assert.ok(writes.length > 30)
    const { id, key } = await addKey(wl)
    const bodyOf = ({ body }: Operation) => (body ? exampleOf(body, { projectId: 'LATE' }) : {})
    const late = await Promise.all(
      writes.map((write) =>
        begin(
          write.method,
          fillPath(write.template, () => 'none'),
          { key, body: bodyOf(write) },
        ),
      ),
    )
    expectStatus(await wl.delete(`/v1/keys/${id}`), 200)
    const answers = await Promise.all(late.map((request) => request.finish()))
    for (const [at, answer] of answers.entries()) {
      assert.equal(answer.status, 401, `${writes[at]!.id}: ${answer.text}`)
    }
  })

  it('gets no claim', async () => {
    const lease = { leaseSeconds: 86_400 }
    expectError(await outlived('POST', `/v1/tasks/${taskId}/claim`, lease), 'UNAUTHORIZED')
    expectError(await outlived('POST', '/v1/tasks/next', { projectId: 'LATE', ...lease }), 'UNAUTHORIZED')
    const batch = { operations: [{ method: 'POST', path: `/v1/tasks/${taskId}/claim`, body: lease }] }
    expectError(await outlived('POST', '/v1/batch', batch), 'UNAUTHORIZED')
    assert.equal((await wl.get(`/v1/tasks/${taskId}`)).body.data.claim, null)
  })

  it('gets no claim where it was let in before and waited for the store', async () => {
    const { db, clock, authenticator } = wl.service.core
    const { id, key } = await addKey(wl)
    const { actor } = await authenticator.authenticate(`Bearer ${key}`)
    expectStatus(await wl.delete(`/v1/keys/${id}`), 200)
    for (const via of interfaces) {
      const call: Call = { db, clock, actor, origin: { requestId: 'late', via, address: null, operation: '' } }
      await assert.rejects(claimTask(call, taskId, {}), { code: 'UNAUTHORIZED' })
      await assert.rejects(claimNext(call, await resolveNext(call, {}), {}), { code: 'UNAUTHORIZED' })
    }
  })

  it('is refused through MCP', async () => {
    const params = { name: 'save_knowledge', arguments: { key: 'late', content: 'x' } }
    const accept = 'application/json, text/event-stream'
    const answer = await outlived('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, { accept })
    assert.equal(answer.status, 401, answer.text)
    expectError(await wl.get('/v1/knowledge/late'), 'NOT_FOUND')
  })

  it('is refused with a session that has ended', async () => {
    const browser = await signIn(wl, await addKey(wl))
    const body = { projectId: 'LATE', title: 'late' }
    const late = await begin('POST', '/v1/tasks', { body, headers: browser.headers })
    expectStatus(await wl.delete(`/v1/sessions/${browser.session.id}`), 200)
    expectError(await late.finish(), 'UNAUTHORIZED')
  })

  it('has the scopes that its key has by then', async () => {
    const { id, key } = await addKey(wl)
    const late = await begin('POST', '/v1/tasks', { key, body: { projectId: 'LATE', title: 'late' } })
    expectStatus(await wl.patch(`/v1/keys/${id}`, { scopes: ['tasks:read'] }), 200)
    assert.equal(expectError(await late.finish(), 'FORBIDDEN').requiredScope, 'tasks:write')
  })

  it('is made with a key that is good', async () => {
    const { key } = await addKey(wl)
    const late = await begin('POST', '/v1/tasks', { key, body: { projectId: 'LATE', title: 'in time' } })
    expectStatus(await late.finish(), 201)
  })
})
