import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask, putItem } from 'worklore-testing/factories'
import type { Answer, TestTenant } from 'worklore-testing/harness'
import { exampleOf, fillPath, type Operation, readOperations } from 'worklore-testing/operations'
import { createTestTenant } from 'worklore-testing/operator'
import { describeTenant } from 'worklore-testing/service-suite'
import { request } from '../mcp/messages.js'

/** The calls that an interface has for the operations: each names one and makes it with a key. */
interface Caller {
  name: string
  send(key: string): Promise<Answer>
}

/** What a caller is told, whichever interface it uses: a code, or undefined where the call was let through. */
const codeOf = ({ status, body, text }: Answer): string | undefined => {
  if (body?.error?.code && typeof body.error.code === 'string') return body.error.code
  const told = body?.result?.isError ? body.result.content[0].text : (body?.error?.message ?? '')
  if (status === 200 && told === '') return undefined
  return /\b(UNAUTHORIZED|FORBIDDEN|NOT_FOUND|RATE_LIMIT_EXCEEDED|VALIDATION_ERROR|[A-Z_]{6,})\b/.exec(
    told || text,
  )?.[1]
}

const pathOf = (template: string, id: string, questionId = 'x'): string =>
  fillPath(template, (name) => (/task/i.test(name) ? id : /question/i.test(name) ? questionId : 'x'))

/** Every operation by HTTP, every one that can be in a batch, every tool and every resource of MCP. */
const callersOf = async (
  wl: TestTenant,
  operations: readonly Operation[],
  taskId: string,
  questionId: string,
): Promise<Caller[]> => {
  const bodyOf = ({ body }: Operation) => (body ? { body: exampleOf(body, { projectId: 'NONE' }) } : {})
  const http = operations
    .filter(({ scope, isOpen }) => scope !== undefined && !isOpen)
    .map((operation) => ({
      name: `http ${operation.id}`,
      send: (key: string) =>
        wl.request(operation.method, pathOf(operation.template, taskId, questionId), { key, ...bodyOf(operation) }),
    }))
  const isBatched = async (operation: Operation): Promise<boolean> => {
    const { method, template } = operation
    const sent = { operations: [{ method, path: pathOf(template, 'NONE-1'), ...bodyOf(operation) }] }
    return !(await wl.post('/v1/batch', sent)).text.includes('cannot be part of a batch')
  }
  const batch: Caller[] = []
  for (const operation of operations.filter(({ method, id }) => method !== 'GET' && id !== 'runBatch')) {
    if (!/^\/v1\/(tasks|questions|knowledge)\b/.test(operation.template) || !(await isBatched(operation))) continue
    const sent = {
      method: operation.method,
      path: pathOf(operation.template, taskId, questionId),
      ...bodyOf(operation),
    }
    batch.push({
      name: `batch ${operation.id}`,
      send: (key) => wl.request('POST', '/v1/batch', { key, body: { operations: [sent] } }),
    })
  }
  const { tools } = expectStatus(await request(wl, 'tools/list'), 200).body.result
  const argumentsOf: Record<string, object> = {
    claim_task: { id: taskId },
    finish_task: { id: taskId, claim: `${taskId}.1`, outcome: 'done', summary: 'x' },
    get_task: { id: taskId },
    create_task: { project: 'NONE', title: 'x' },
    update_task: { id: taskId, title: 'x' },
    add_comment: { id: taskId, text: 'x' },
    search: { query: 'x' },
    read_knowledge: { key: 'x' },
    write_knowledge: { key: 'x', content: 'x' },
    get_history: { task: taskId },
  }
  const mcp = tools.map(({ name }: { name: string }) => ({
    name: `mcp ${name}`,
    send: (key: string) => request(wl, 'tools/call', { name, arguments: argumentsOf[name] ?? {} }, { key }),
  }))
  const resources = [`worklore://task/${taskId}`, 'worklore://knowledge/x'].map((uri) => ({
    name: `mcp ${uri}`,
    send: (key: string) => request(wl, 'resources/read', { uri }, { key }),
  }))
  return [...http, ...batch, ...mcp, ...resources]
}

const ownTitle = 'Only this tenant knows it'

describeTenant('every operation through every interface', (wl) => {
  let callers: Caller[]
  before(async () => {
    const operations = await readOperations(wl)
    await createProject(wl, { key: 'GATE' })
    const { id } = await createTask(wl, 'GATE', { title: ownTitle })
    await putItem(wl, 'x', 'Text')
    const asked = await wl.post(`/v1/tasks/${id}/questions`, { body: ownTitle })
    callers = await callersOf(wl, operations, id, expectStatus(asked, 201).body.data.id)
    assert.ok(callers.filter(({ name }) => name.startsWith('http')).length > 30)
    assert.ok(callers.filter(({ name }) => name.startsWith('batch')).length > 8)
    assert.ok(callers.filter(({ name }) => name.startsWith('mcp')).length > 12)
  })

  it('refuses a revoked key', async () => {
    const { id, key } = await createKey(wl, { scopes: ['admin'] })
    expectStatus(await wl.delete(`/v1/keys/${id}`), 200)
    // Failed authentications are counted by address, and this is a fifth of them for each interface.
    for (const prefix of ['http', 'batch', 'mcp']) {
      for (const caller of callers.filter(({ name }) => name.startsWith(prefix)).slice(0, 4)) {
        const code = codeOf(await caller.send(key))
        assert.ok(code === 'UNAUTHORIZED' || code === 'RATE_LIMIT_EXCEEDED', `${caller.name}: ${code}`)
      }
    }
  })

  it('refuses a key without the scope, and audits each refusal', async () => {
    const { core } = wl.service
    for (const held of ['tasks:read', 'knowledge:read'] as const) {
      const { id, key } = await createKey(wl, { scopes: [held] })
      const refused = new Map<string, number>()
      for (const caller of callers) {
        const code = codeOf(await caller.send(key))
        assert.ok(code !== 'UNAUTHORIZED' && code !== 'INTERNAL_ERROR', `${caller.name}: ${code}`)
        if (code !== 'FORBIDDEN') continue
        const via = caller.name.startsWith('mcp') ? 'mcp' : 'http'
        refused.set(via, (refused.get(via) ?? 0) + 1)
      }
      assert.ok(refused.get('http')! > 20 && refused.get('mcp')! > 4, JSON.stringify([...refused]))
      await core.refusals.flush()
      const audited = new Map<string, number>()
      const { data } = (await wl.get(`/v1/audit?action=scope.refused&limit=100`)).body
      for (const { via, count, actor } of data) {
        if (actor?.keyId === id) audited.set(via, (audited.get(via) ?? 0) + count)
      }
      assert.deepEqual(Object.fromEntries(audited), Object.fromEntries(refused), held)
    }
  })

  it('shows no record of another tenant', async () => {
    const { adminKey } = await createTestTenant(wl)
    const others = callers.filter(
      ({ name }) => /task|comment|claim|question/i.test(name) && !/list|search|create_task/i.test(name),
    )
    for (const caller of others) {
      const answer = await caller.send(adminKey)
      assert.ok(!answer.text.includes(ownTitle), caller.name)
      assert.notEqual(answer.status, 500)
    }
  })

  it('refuses a tenant that is over its limit', async () => {
    const { adminKey } = await createTestTenant(wl, 'free')
    for (let made = 0; made < 60; made++) await wl.get('/v1/me', { key: adminKey })
    for (const caller of callers) {
      assert.equal(codeOf(await caller.send(adminKey)), 'RATE_LIMIT_EXCEEDED', caller.name)
    }
  })
})
