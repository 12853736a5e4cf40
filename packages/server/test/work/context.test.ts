import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { Tiktoken } from 'js-tiktoken/lite'
import o200k from 'js-tiktoken/ranks/o200k_base'
import { expectError, expectInvalid, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask, putItem } from 'worklore-testing/factories'
import { describeService } from 'worklore-testing/service-suite'
import { fit } from '../../src/work/context/fit.js'
import { callTool } from '../mcp/messages.js'

const encoding = new Tiktoken(o200k)
const parts = ['ancestors', 'blockers', 'answers', 'attempts', 'knowledge', 'neighbours', 'similarDone'] as const
const keysOf = (context: { knowledge: { key: string }[] }) => context.knowledge.map(({ key }) => key)

describeService('what a claim brings', (wl) => {
  let project: string
  let secret: string
  let id: string
  const context = async (query = '', options = {}) =>
    expectStatus(await wl.get(`/v1/tasks/${id}/context${query}`, options), 200).body.data
  const call = (method: 'POST', path: string, body: object, headers = {}) =>
    wl.request(method, path, { body, key: secret, headers })

  before(async () => {
    const { id: projectId, key } = await createProject(wl)
    project = key
    secret = (await createKey(wl, { name: 'agent-1', scopes: ['tasks:write', 'knowledge:write'] })).key
    const parent = await createTask(wl, project, { title: 'Billing', description: 'Everything about invoices.' })
    const blocker = await createTask(wl, project, { title: 'Choose a library' })
    await wl.patch(`/v1/tasks/${blocker.id}`, { status: 'done', result: 'We use pdfkit.' })
    const task = await createTask(wl, project, {
      title: 'Render invoices as PDF',
      description: `Customers want their invoices as PDF files.\n${'More about it. '.repeat(80)}`,
      parentId: parent.id,
      blockedBy: [blocker.id],
      labels: ['billing'],
      dueDate: '2031-01-31',
      checks: [{ text: 'Opens in a reader' }],
    })
    id = task.id
    const done = await createTask(wl, project, { title: 'Render receipts as PDF files' })
    await wl.patch(`/v1/tasks/${done.id}`, { status: 'done', result: 'Receipts are in src/receipts.ts.' })
    const beside = await createTask(wl, project, { title: 'Render invoices as PDF in another language' })
    expectStatus(await wl.post(`/v1/tasks/${beside.id}/claim`, { worker: 'worker-7' }), 200)
    for (let at = 0; at < 8; at++) {
      await putItem(
        wl,
        `guides/pdf-${at}`,
        `# PDF ${at}\n\n## Fonts\n\nInvoices as PDF need embedded fonts. ${'x '.repeat(200)}`,
        {
          projectId: at % 2 ? project : null,
        },
      )
    }
    await putItem(wl, 'guides/withdrawn', 'Render invoices as PDF with the old tool.', { projectId: project })
    expectStatus(
      await wl.post('/v1/knowledge/retract', { key: 'guides/withdrawn', projectId: project, reason: 'r' }),
      200,
    )
    const other = await createProject(wl)
    await putItem(wl, 'guides/elsewhere', 'Render invoices as PDF.', { projectId: other.key })
    const claim = expectStatus(await call('POST', `/v1/tasks/${id}/claim`, {}), 200).body.data.claim.token
    await call('POST', `/v1/tasks/${id}/comments`, { body: 'The fonts are missing.' })
    const asked = expectStatus(
      await call(
        'POST',
        `/v1/tasks/${id}/questions`,
        { body: 'Which paper?', options: ['A4', 'Letter'] },
        { 'Worklore-Claim': claim },
      ),
      201,
    ).body.data
    expectStatus(await wl.post(`/v1/questions/${asked.id}/answer`, { option: 'A4' }), 200)
    assert.ok(projectId)
  })

  it('is the task, what is around it, and what is known about it', async () => {
    const found = await context('?budgetTokens=20000')
    assert.equal(found.task.id, id)
    assert.match(found.task.description, /More about it\. $/)
    assert.deepEqual(
      found.task.checks.map(({ text }: { text: string }) => text),
      ['Opens in a reader'],
    )
    assert.deepEqual(
      found.ancestors.map(({ title }: { title: string }) => title),
      ['Billing'],
    )
    assert.deepEqual(
      found.blockers.map(({ result }: { result: string }) => result),
      ['We use pdfkit.'],
    )
    assert.deepEqual(
      found.answers.map(({ question, answer }: Record<string, string>) => [question, answer]),
      [['Which paper?', 'A4']],
    )
    assert.deepEqual(
      found.attempts.map(({ by, ended, comment }: Record<string, string>) => [by, ended, comment]),
      [['agent-1', 'released', 'The fonts are missing.']],
    )
    assert.deepEqual(
      found.neighbours.map(({ title, worker }: Record<string, string>) => [title, worker]),
      [['Render invoices as PDF in another language', 'worker-7']],
    )
    assert.equal(found.similarDone[0].result, 'Receipts are in src/receipts.ts.')
    const keys = keysOf(found)
    for (let at = 0; at < 8; at++) assert.ok(keys.includes(`guides/pdf-${at}`))
    assert.ok(!keys.includes('guides/withdrawn') && !keys.includes('guides/elsewhere'))
    assert.deepEqual(found.omitted, {})
  })

  it('fits its budget, and every part that has something is there before one has more', async () => {
    let shownBefore = 0
    for (const budget of [200, 300, 500, 800, 1_500, 3_000, 20_000]) {
      const found = await context(`?budgetTokens=${budget}`)
      const json = JSON.stringify(found)
      assert.ok(found.tokens <= budget, `${found.tokens} of ${budget}`)
      assert.ok(found.tokens >= json.length / 6)
      assert.ok(encoding.encode(json).length <= budget * 1.02, `${encoding.encode(json).length} of ${budget}`)
      const empty = parts.filter((part) => found[part].length === 0)
      assert.deepEqual(budget >= 300 ? empty : [], [], `${budget}`)
      if (empty.length > 0) assert.ok(parts.every((part) => found[part].length <= 1))
      const shown = parts.reduce((sum, part) => sum + found[part].length, 0)
      assert.ok(shown >= shownBefore)
      shownBefore = shown
      for (const part of parts) if (found[part].length === 0) assert.ok((found.omitted[part] ?? 0) > 0)
    }
    assert.deepEqual(await context(), await context('?budgetTokens=1500'))
  })

  it('comes with a claim that asks for it, also when the request is repeated', async () => {
    const headers = { 'Idempotency-Key': 'context-1' }
    const first = expectStatus(await call('POST', `/v1/tasks/${id}/claim`, { contextTokens: 900 }, headers), 200).body
    assert.equal(first.context.task.id, id)
    assert.ok(first.context.tokens <= 900)
    const again = expectStatus(await call('POST', `/v1/tasks/${id}/claim`, { contextTokens: 900 }, headers), 200).body
    assert.deepEqual(again.data, first.data)
    assert.deepEqual(again.context, first.context)
    assert.equal(first.context.attempts.length, 1)
    expectStatus(await call('POST', `/v1/tasks/${id}/release`, {}, { 'Worklore-Claim': first.data.claim.token }), 200)
    const next = expectStatus(
      await call('POST', '/v1/tasks/next', { projectId: project, contextTokens: 400 }),
      200,
    ).body
    assert.equal(next.context.task.id, next.data.id)
    const plain = expectStatus(await call('POST', '/v1/tasks/next', { projectId: project }), 200).body
    assert.equal('context' in plain, false)
  })

  it('records the notes that it showed under a claim as what the task relied on', async () => {
    const task = await createTask(wl, project, { title: 'Invoices as PDF with embedded fonts' })
    const basis = async () => {
      await wl.service.core.basis.flush()
      const { data } = expectStatus(await wl.get(`/v1/tasks/${task.id}/basis`), 200).body
      return data.map(({ key, version }: { key: string; version: number }) => `${key} ${version}`).sort()
    }
    expectStatus(await wl.get(`/v1/tasks/${task.id}/context`), 200)
    assert.deepEqual(await basis(), [])
    const { data, context } = expectStatus(
      await wl.post(`/v1/tasks/${task.id}/claim`, { contextTokens: 200 }),
      200,
    ).body
    const shown = [...new Set(keysOf(context))].map((key) => `${key} 1`).sort()
    assert.ok(shown.length > 0)
    assert.deepEqual(await basis(), shown)
    const headers = { 'Worklore-Claim': data.claim.token }
    const more = expectStatus(await wl.get(`/v1/tasks/${task.id}/context`, { headers }), 200).body.data
    assert.deepEqual(await basis(), [...new Set(keysOf(more))].map((key) => `${key} 1`).sort())
  })

  it('tells what each earlier holder said last, however the claim ended', async () => {
    const { id: taskId } = await createTask(wl, project, { title: 'Tried often' })
    await wl.post(`/v1/tasks/${taskId}/comments`, { body: 'before any claim' })
    for (const comment of ['one', 'two']) {
      const { token } = expectStatus(await wl.post(`/v1/tasks/${taskId}/claim`, {}), 200).body.data.claim
      expectStatus(
        await wl.post(`/v1/tasks/${taskId}/release`, { comment }, { headers: { 'Worklore-Claim': token } }),
        200,
      )
    }
    expectStatus(await wl.post(`/v1/tasks/${taskId}/claim`, {}), 200)
    expectStatus(await wl.patch(`/v1/tasks/${taskId}`, { status: 'todo' }), 200)
    const { attempts } = (await wl.get(`/v1/tasks/${taskId}/context`)).body.data
    assert.deepEqual(
      attempts.map(({ ended, comment }: Record<string, string>) => [ended, comment]),
      [
        ['released', null],
        ['released', 'two'],
        ['released', 'one'],
      ],
    )
  })

  it('shows a key nothing of other projects, and no knowledge to one that may not read it', async () => {
    const other = await createProject(wl)
    const hidden = await createTask(wl, other.key, { title: 'Hidden' })
    await wl.patch(`/v1/tasks/${id}`, { blockedBy: [hidden.id] })
    const limited = await createKey(wl, { scopes: ['tasks:read'], projectIds: [project] })
    const found = await context('', { key: limited.key })
    assert.deepEqual(found.blockers, [])
    assert.deepEqual(found.knowledge, [])
    assert.doesNotMatch(JSON.stringify(found), /Hidden/)
    const elsewhere = await createKey(wl, { scopes: ['tasks:read'], projectIds: [other.key] })
    expectError(await wl.get(`/v1/tasks/${id}/context`, { key: elsewhere.key }), 'FORBIDDEN')
  })

  it('briefs an agent that claims through MCP, as far as it wants', async () => {
    const claimed = async (more: object) => {
      const { text } = await callTool(wl, 'claim_task', { id: task.id, takeover: true, ...more })
      return text.slice(text.indexOf('what is known:'))
    }
    const task = await createTask(wl, project, { title: 'Invoices as PDF with embedded fonts' })
    const text = await claimed({})
    assert.match(text, /^what is known:\n<data>\nnote guides\/pdf-\d \(PDF \d › Fonts\): "/)
    assert.match(text, /\n\d+ more: search\n<\/data>$/)
    assert.ok(encoding.encode(text).length <= 1_200)
    assert.ok(encoding.encode(await claimed({ context: 300 })).length <= 320)
    assert.doesNotMatch(await claimed({ context: 0 }), /what is known/)
  })

  it('says where nothing could be searched for', () => {
    const task = { id: 'ACME-1', title: 'A task', status: 'todo' as const }
    const nothing = {
      ancestors: [],
      blockers: [],
      answers: [],
      attempts: [],
      knowledge: [],
      itemIds: [],
      neighbours: [],
      similarDone: [],
    }
    assert.equal(fit({ task, ...nothing, searched: false }, 200).searched, false)
    assert.equal('searched' in fit({ task, ...nothing }, 200), false)
  })

  it('refuses budgets out of range, and a batch', async () => {
    for (const budget of ['199', '20001', 'x', '1.5']) {
      expectInvalid(await wl.get(`/v1/tasks/${id}/context?budgetTokens=${budget}`), 'budgetTokens')
    }
    expectInvalid(await wl.post(`/v1/tasks/${id}/claim`, { contextTokens: 100 }), 'contextTokens')
    expectError(await wl.get('/v1/tasks/NONE-1/context'), 'NOT_FOUND')
    const batch = { operations: [{ method: 'POST', path: `/v1/tasks/${id}/claim`, body: { contextTokens: 500 } }] }
    assert.equal((await wl.post('/v1/batch', batch)).status, 400)
  })
})
