import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { expectError, expectStatus } from 'worklore-testing/expect'
import { createProject, createTask, putItem } from 'worklore-testing/factories'
import { fillPath, type Operation, readOperations } from 'worklore-testing/operations'
import { describeTenant } from 'worklore-testing/service-suite'

interface Request {
  /** Values of the path parameters. */
  params?: Record<string, string>
  body?: object
  headers?: Record<string, string>
  /** Path of the record whose version is compared. */
  record: string
}

describeTenant('If-Match', (wl) => {
  let operations: Operation[]
  let count = 0
  before(async () => {
    await createProject(wl, { key: 'HOME' })
    await createProject(wl, { key: 'AWAY' })
    const all = await readOperations(wl)
    const names = (parameters: Operation['parameters']) =>
      parameters.flatMap(({ in: where, name }) => (where === 'header' ? name : []))
    operations = all.filter(({ method, parameters }) => method !== 'GET' && names(parameters).includes('If-Match'))
  })

  const task = async (fields: Record<string, unknown> = {}) => {
    const { id } = await createTask(wl, 'HOME', fields)
    return { params: { taskId: id as string }, record: `/v1/tasks/${id}` }
  }
  const claimed = async () => {
    const found = await task()
    const { claim } = expectStatus(await wl.post(`${found.record}/claim`, {}), 200).body.data
    return { ...found, headers: { 'worklore-claim': claim.token as string } }
  }
  const item = async () => {
    const key = `notes/if-match-${++count}`
    await putItem(wl, key, 'first')
    return { key, params: { key }, record: `/v1/knowledge/${key}` }
  }
  const question = async () => {
    const { record } = await task()
    const { id } = expectStatus(await wl.post(`${record}/questions`, { body: 'Which?' }), 201).body.data
    return { params: { questionId: id as string }, record: `/v1/questions/${id}` }
  }
  const comment = async () => {
    const { record, params } = await task()
    const { id } = expectStatus(await wl.post(`${record}/comments`, { body: 'first' }), 201).body.data
    return { params: { ...params, commentId: id as string }, record: `${record}/comments/${id}` }
  }
  const project = async () => {
    const { id } = await createProject(wl)
    return { params: { projectId: id as string }, record: `/v1/projects/${id}` }
  }

  /** A request for each operation with an If-Match header in the OpenAPI document. */
  const requests: Record<string, () => Promise<Request>> = {
    updateTask: async () => ({ ...(await task()), body: { title: 'second' } }),
    deleteTask: task,
    moveTask: async () => ({ ...(await task()), body: { projectId: 'AWAY' } }),
    rankTask: async () => ({ ...(await task()), body: { to: 'top' } }),
    claimTask: async () => ({ ...(await task()), body: {} }),
    renewClaim: async () => ({ ...(await claimed()), body: {} }),
    releaseClaim: async () => ({ ...(await claimed()), body: {} }),
    askQuestion: async () => ({ ...(await task()), body: { body: 'Which?' } }),
    answerQuestion: async () => ({ ...(await question()), body: { body: 'This one.' } }),
    withdrawQuestion: async () => ({ ...(await question()), body: {} }),
    decideCheck: async () => {
      const found = await task({ checks: [{ text: 'Tested' }] })
      const { checks } = (await wl.get(found.record)).body.data
      return {
        ...found,
        params: { ...found.params, checkId: checks[0].id },
        body: { state: 'passed', evidence: 'seen' },
      }
    },
    updateComment: async () => ({ ...(await comment()), body: { body: 'second' } }),
    deleteComment: comment,
    acceptStaleTask: async () => ({ ...(await task()), body: {} }),
    putKnowledge: async () => ({ ...(await item()), body: { content: 'second' } }),
    patchKnowledge: async () => ({ ...(await item()), body: { title: 'second' } }),
    deleteKnowledge: item,
    judgeKnowledge: async () => {
      const { key, record } = await item()
      return { record, body: { key, version: 1, trust: 'disputed' } }
    },
    retractKnowledge: async () => {
      const { key, record } = await item()
      return { record, body: { key, reason: 'wrong' } }
    },
    acceptStaleKnowledge: async () => {
      const { key, record } = await item()
      return { record, body: { key } }
    },
    moveKnowledge: async () => {
      const { key, record } = await item()
      return { record, body: { from: key, to: `${key}-moved` } }
    },
    restoreVersion: async () => {
      const { record, params } = await task()
      expectStatus(await wl.patch(record, { title: 'second' }), 200)
      return { record, body: { task: params.taskId, version: 1 } }
    },
    updateProject: async () => ({ ...(await project()), body: { name: 'second' } }),
    deleteProject: project,
  }

  it('is taken by every operation on one existing record', () => {
    assert.deepEqual(operations.map(({ id }) => id).sort(), Object.keys(requests).sort())
  })

  it('refuses a change of another version, and nothing else', async () => {
    for (const { id, method, template } of operations) {
      const { params = {}, body, headers, record } = await requests[id]!()
      const path = fillPath(template, (name) => params[name]!)
      const send = (version: string) => wl.request(method, path, { body, headers: { ...headers, 'if-match': version } })
      const before = expectStatus(await wl.get(record), 200).body.data
      const error = expectError(await send('"99"'), 'PRECONDITION_FAILED')
      assert.equal(error.currentVersion, before.version, id)
      assert.deepEqual((await wl.get(record)).body.data, before, id)
      const answer = await send(`"${before.version}"`)
      // Nothing is stale here. The service refuses that only after it has compared the version.
      if (id.startsWith('acceptStale')) assert.notEqual(answer.status, 412, id)
      else assert.ok(answer.status < 300, `${id}: ${answer.text}`)
    }
  })

  it('is read in a batch', async () => {
    const [first, second] = [await task(), await task()]
    const answer = await wl.post('/v1/batch', {
      operations: [
        { method: 'POST', path: `${first.record}/rank`, body: { to: 'top' }, headers: { 'If-Match': '"1"' } },
        { method: 'POST', path: `${second.record}/rank`, body: { to: 'top' }, headers: { 'If-Match': '"99"' } },
      ],
    })
    expectError(answer, 'PRECONDITION_FAILED')
    assert.equal((await wl.get(first.record)).body.data.version, 1)
  })

  it('names no single record of a recursive move', async () => {
    const { key } = await item()
    const body = { from: key, to: `${key}-moved`, recursive: true }
    const answer = await wl.post('/v1/knowledge/move', body, { headers: { 'if-match': '"1"' } })
    assert.equal(expectError(answer, 'VALIDATION_ERROR').details[0].path, 'If-Match')
  })
})
