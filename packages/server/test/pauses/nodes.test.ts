import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { expectError, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask } from 'worklore-testing/factories'
import { type Answer, startService, type TestService } from 'worklore-testing/harness'
import { until } from 'worklore-testing/until'

describe('a pause set on another node', () => {
  let one: TestService
  let two: TestService
  before(async () => {
    const engine = engines.find(({ name }) => name === 'postgres')!
    one = await startService(engine)
    two = await startService(engine, { store: one.store })
  })
  after(async () => {
    await two?.stop()
    await one?.stop()
  })

  const set = async (path: string, paused: object | null) => expectStatus(await one.patch(path, { paused }), 200)

  it('lets no claim through after its answer, and is told to those who wait', async () => {
    const { id: projectId } = await createProject(one, { key: 'ACME' })
    const { id, key } = await createKey(one)
    const next = (waitSeconds = 0): Promise<Answer> => two.post('/v1/tasks/next', { projectId, waitSeconds }, { key })
    expectStatus(await two.get('/v1/me', { key }), 200)
    for (const path of [`/v1/keys/${id}`, `/v1/projects/${projectId}`, '/v1/tenant']) {
      const waiting = [next(30), next(30)]
      await until(
        () => two.service.core.openStreams.usedByRequests(two.tenantId),
        (open) => open >= waiting.length,
      )
      await set(path, { reason: 'Stop' })
      const task = await createTask(one, projectId)
      expectError(await two.post(`/v1/tasks/${task.id}/claim`, {}, { key }), 'CONFLICT')
      for (const answer of [await next(), ...(await Promise.all(waiting))])
        assert.equal(expectError(answer, 'CONFLICT').reason, 'paused')
      await set(path, null)
      const taken = await until(next, ({ status }) => status === 200)
      assert.equal(taken.body.data.id, task.id)
    }
  })
})
