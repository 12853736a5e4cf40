import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { expectError, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask, createUser, putItem } from 'worklore-testing/factories'
import { type Answer, rowsOf } from 'worklore-testing/harness'
import { exampleOf, fillPath, type Operation, readOperations } from 'worklore-testing/operations'
import { describeService } from 'worklore-testing/service-suite'
import { tenantTables } from 'worklore-testing/tenant-wall'
import { fillTenant, type Side } from '../isolation/two-tenants.js'

/** What the service writes in them is not a request's alone. */
const isOfOwnRounds = (table: string): boolean => /^(webhook|deliver|limit|rate|usage)|_rebuilt$/.test(table)

/** Each needs what those after it take away. */
const rankOf = ({ id }: Operation): number => ['deleteProject'].indexOf(id) + (/^(delete|revoke)/.test(id) ? 1 : -1)

describeService('a write under a claim', (wl) => {
  let operations: Operation[]
  let own: Side

  before(async () => {
    operations = await readOperations(wl)
    own = await fillTenant(wl, operations, wl.adminKey, 'ALPHA')
    expectStatus(await wl.patch(`/v1/tasks/${own.ids.taskId}`, { checks: [{ text: 'A check' }] }), 200)
    await createProject(wl, { key: 'FENCE' })
    for (const key of ['to/move', 'judged', 'retracted']) await putItem(wl, key, 'Text')
    for (const content of ['First', 'Second']) await putItem(wl, 'versioned', content)
    const { key } = (await wl.get('/v1/me')).body.data
    expectStatus(await wl.patch(`/v1/keys/${key.id}`, { userId: (await createUser(wl, { role: 'admin' })).id }), 200)
  })

  /** Bodies that need more than their schema says. */
  const bodies: Record<string, (round: number) => unknown> = {
    runBatch: (round) => ({
      operations: [{ method: 'PUT', path: '/v1/knowledge/batched', body: { content: `${round}` } }],
    }),
    moveTask: () => ({ projectId: 'FENCE' }),
    rankTask: () => ({ to: 'top' }),
    moveKnowledge: () => ({ from: 'to/move', to: 'moved' }),
    acceptStaleKnowledge: () => ({ key: 'versioned' }),
    judgeKnowledge: () => ({ key: 'judged', version: 1, trust: 'disputed' }),
    retractKnowledge: (round) => ({ key: 'retracted', reason: `Reason ${round}` }),
    restoreVersion: () => ({ knowledge: 'versioned', version: 1 }),
    undo: () => ({ claim: 'FENCE-1.1', dryRun: false }),
    createProject: (round) => ({ key: `NEW${round}`, name: 'New' }),
    answerQuestion: () => ({ body: 'An answer' }),
    updateTask: (round) => ({ title: `Title ${round}` }),
    updateProject: (round) => ({ name: `Name ${round}` }),
    updateUser: (round) => ({ name: `Name ${round}` }),
    updateKey: (round) => ({ name: `Name ${round}` }),
    createWebhook: () => ({ url: 'https://example.com', events: ['*'] }),
    readInbox: () => ({ ids: ['inb_none'] }),
    updateWebhook: (round) => ({ description: `Text ${round}` }),
  }

  const claimNew = async (): Promise<{ taskId: string; token: string; renewedAt: string }> => {
    const { id } = await createTask(wl, 'FENCE')
    const { claim } = expectStatus(await wl.post(`/v1/tasks/${id}/claim`, { leaseSeconds: 600 }), 200).body.data
    return { taskId: id, token: claim.token, renewedAt: claim.renewedAt }
  }

  const newTrashEntry = async (): Promise<string> => {
    await putItem(wl, 'thrown/away', 'Text')
    expectStatus(await wl.delete('/v1/knowledge/thrown/away'), 200)
    return expectStatus(await wl.get('/v1/trash?kind=knowledge&limit=1'), 200).body.data[0].id
  }

  const newQuestion = async (): Promise<string> =>
    expectStatus(await wl.post(`/v1/tasks/${own.ids.taskId}/questions`, { body: 'Which?' }), 201).body.data.id

  const send = (operation: Operation, token: string, round: number): Promise<Answer> => {
    const { method, template, body, id } = operation
    const payload = bodies[id]?.(round) ?? (body && exampleOf(body, { ...own.ids, key: `K${round}`, name: 'new' }))
    const path = fillPath(template, (name) => own.ids[name]!)
    const query = operation.parameters.some(({ name }) => name === 'force') ? '?force=true' : ''
    return wl.request(method, path + query, {
      ...(payload !== undefined && { body: payload }),
      headers: { 'worklore-claim': token },
    })
  }

  /** All that the tables hold, but for when a key was used and what is not written by requests. */
  const contents = async (): Promise<Set<string>> => {
    const tables = [...tenantTables].filter((table) => !isOfOwnRounds(table))
    const parts: string[] = []
    for (const table of tables) {
      const rows = await rowsOf<Record<string, unknown>>(wl, `select * from ${table}`)
      parts.push(...rows.map((row) => `${table} ${JSON.stringify({ ...row, last_used_at: undefined })}`).sort())
    }
    return new Set(parts)
  }

  // Whoever found a secret may end it without a key, and without a key there is no claim.
  const writes = (): Operation[] => operations.filter(({ method, id }) => method !== 'GET' && id !== 'revokeSecret')

  it('that was lost is refused and changes nothing, whatever it writes', async () => {
    const { taskId, token } = await claimNew()
    expectStatus(
      await wl.patch(`/v1/tasks/${taskId}`, { status: 'todo' }, { headers: { 'worklore-claim': token } }),
      200,
    )
    const other = await createKey(wl)
    const held = expectStatus(await wl.post(`/v1/tasks/${taskId}/claim`, {}, { key: other.key }), 200).body.data.claim
    let checked = 0
    for (const lost of [token, held.token, 'FENCE-999.1', 'no token']) {
      const beforehand = await contents()
      for (const operation of writes()) {
        const error = expectError(await send(operation, lost, 1), 'PRECONDITION_FAILED')
        assert.equal(error.reason, 'claim_lost', operation.id)
        checked++
      }
      const afterwards = await contents()
      const changed = [...afterwards].filter((row) => !beforehand.has(row))
      assert.deepEqual([changed, afterwards.size], [[], beforehand.size])
    }
    assert.ok(checked >= 4 * 25, `${checked} were sent`)
  })

  it('that is live is made, and renews the lease', async () => {
    const skipped = ['renewClaim', 'releaseClaim']
    const inOrder = writes()
      .filter(({ id }) => !skipped.includes(id))
      .sort((a, b) => rankOf(a) - rankOf(b) || b.template.length - a.template.length)
    for (const [round, operation] of inOrder.entries()) {
      const { taskId, token, renewedAt } = await claimNew()
      if (operation.template.includes('{entryId}')) own.ids.entryId = await newTrashEntry()
      if (operation.template.includes('{questionId}')) own.ids.questionId = await newQuestion()
      wl.passTime(5)
      const answer = await send(operation, token, round)
      assert.ok(answer.status < 300, `${operation.id}: ${answer.text}`)
      const { claim } = (await wl.get(`/v1/tasks/${taskId}`)).body.data
      assert.ok(claim.renewedAt > renewedAt, `${operation.id} has not renewed ${token}`)
    }
  })

  it('that fails for another reason renews nothing', async () => {
    const { taskId, token, renewedAt } = await claimNew()
    const headers = { 'worklore-claim': token }
    wl.passTime(5)
    expectError(await wl.patch('/v1/tasks/FENCE-9999', { title: 'x' }, { headers }), 'NOT_FOUND')
    expectError(await wl.post(`/v1/tasks/${taskId}/claim`, {}, { headers }), 'CONFLICT')
    expectError(await wl.put('/v1/knowledge/search', { content: 'x' }, { headers }), 'VALIDATION_ERROR')
    assert.equal((await wl.get(`/v1/tasks/${taskId}`)).body.data.claim.renewedAt, renewedAt)
  })

  it('is answered again for its Idempotency-Key although the claim is over', async () => {
    const { taskId, token } = await claimNew()
    const options = { headers: { 'worklore-claim': token, 'idempotency-key': 'fenced' } }
    const first = expectStatus(await wl.post(`/v1/tasks/${taskId}/comments`, { body: 'Once' }, options), 201)
    expectStatus(
      await wl.post(
        `/v1/tasks/${taskId}/release`,
        {},
        { headers: { 'worklore-claim': token, 'idempotency-key': 'r' } },
      ),
      200,
    )
    const again = await wl.post(`/v1/tasks/${taskId}/comments`, { body: 'Once' }, options)
    assert.deepEqual([again.status, again.body], [201, first.body])
    const released = await wl.post(
      `/v1/tasks/${taskId}/release`,
      {},
      { headers: { 'worklore-claim': token, 'idempotency-key': 'r' } },
    )
    assert.equal(expectStatus(released, 200).headers['idempotency-replayed'], 'true')
  })
})
