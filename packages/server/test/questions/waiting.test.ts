import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { engines } from 'worklore-testing/engines'
import { expectError, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask } from 'worklore-testing/factories'
import { startService, type TestService } from 'worklore-testing/harness'
import { quietBoundMs } from 'worklore-testing/long-run'
import { until } from 'worklore-testing/until'

/** Long enough for a call to have come to wait. */
const settleMs = 200

for (const engine of engines) {
  const nodeCount = engine.name === 'postgres' ? 2 : 1
  describe(`waiting for an answer on ${engine.name}`, () => {
    const nodes: TestService[] = []
    before(async () => {
      nodes.push(await startService(engine))
      if (nodeCount === 2) nodes.push(await startService(engine, { store: nodes[0]!.store }))
      await createProject(nodes[0]!, { key: 'WAIT' })
    })
    after(async () => {
      for (const node of nodes.toReversed()) await node.stop()
    })
    const first = () => nodes[0]!
    const last = () => nodes.at(-1)!

    const asked = async (): Promise<{ taskId: string; id: string }> => {
      const { id: taskId } = await createTask(first(), 'WAIT')
      const { data } = expectStatus(await first().post(`/v1/tasks/${taskId}/questions`, { body: 'Which?' }), 201).body
      return { taskId, id: data.id }
    }

    it('ends with the answer, and the task comes back to whoever waits for one, on any node', async () => {
      const { taskId, id } = await asked()
      const waiting = last().get(`/v1/questions/${id}?waitSeconds=30`)
      const next = last().post('/v1/tasks/next', { projectId: 'WAIT', waitSeconds: 30 })
      await pause(settleMs)
      const startMs = performance.now()
      expectStatus(await first().post(`/v1/questions/${id}/answer`, { body: 'This' }), 200)
      const [question, task] = [expectStatus(await waiting, 200).body.data, expectStatus(await next, 200).body.data]
      assert.deepEqual([question.state, question.answer.body, task.id], ['answered', 'This', taskId])
      assert.ok(performance.now() - startMs < quietBoundMs(400))
      assert.ok(performance.now() - startMs < 20_000)
      expectStatus(await last().get(`/v1/questions/${id}?waitSeconds=30`), 200)
    })

    it('ends when the question is withdrawn, the task closed or deleted, the time over or the key revoked', async () => {
      const waitFor = async (id: string, end: () => Promise<unknown>, key = last().adminKey, seconds = 30) => {
        const waiting = last().get(`/v1/questions/${id}?waitSeconds=${seconds}`, { key })
        await pause(settleMs)
        await end()
        return waiting
      }
      const withdrawn = await asked()
      const over = await waitFor(withdrawn.id, () => first().post(`/v1/questions/${withdrawn.id}/withdraw`, {}))
      assert.equal(over.body.data.state, 'withdrawn')
      const closed = await asked()
      const moot = await waitFor(closed.id, () => first().patch(`/v1/tasks/${closed.taskId}`, { status: 'done' }))
      assert.equal(moot.body.data.state, 'withdrawn')
      const deleted = await asked()
      expectError(await waitFor(deleted.id, () => first().delete(`/v1/tasks/${deleted.taskId}`)), 'NOT_FOUND')
      const open = await asked()
      const late = await waitFor(open.id, async () => {}, undefined, 1)
      assert.equal(late.body.data.state, 'open')
      const { id: keyId, key } = await createKey(first())
      const revoked = waitFor(open.id, () => first().delete(`/v1/keys/${keyId}`), key)
      await until(
        () => first().get('/v1/me', { key }),
        ({ status }) => status === 401,
      )
      expectError(await revoked, 'UNAUTHORIZED')
    })

    it('counts the first answer alone, whichever node they come to', async () => {
      const { id } = await asked()
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, at) =>
          nodes[at % nodes.length]!.post(`/v1/questions/${id}/answer`, { body: `${at}` }),
        ),
      )
      assert.equal(answers.filter(({ status }) => status === 200).length, 1)
      assert.equal(answers.filter(({ body }) => body.error?.reason === 'answered').length, 49)
    })

    it('refuses a wait that is too long', async () => {
      const { id } = await asked()
      expectError(await first().get(`/v1/questions/${id}?waitSeconds=31`), 'VALIDATION_ERROR')
    })
  })
}
