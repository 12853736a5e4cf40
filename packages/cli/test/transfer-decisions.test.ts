import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import { createProject, createTask } from 'worklore-testing/factories'
import { addTenant } from 'worklore-testing/operator'
import { describeClient } from 'worklore-testing/service-suite'
import { createUser as createShellUser, userFor } from './wl.js'

describeClient('importing results, checks and questions with wl', (service) => {
  it('keeps what is open open, and tells in comments what was decided', async (test) => {
    const user = userFor(test, service)
    await createProject(service, { key: 'TRIP', defaultChecks: [{ text: 'Reviewed', verifier: 'other' }] })
    const checks = [{ text: 'The tests pass' }]
    const open = await createTask(service, 'TRIP', { title: 'Open', checks, result: 'So far so good.' })
    const done = await createTask(service, 'TRIP', { title: 'Done', checks })
    for (const [id, check] of [
      [open.id, 'c2'],
      [done.id, 'c1'],
      [done.id, 'c2'],
    ]) {
      const decision = { state: 'passed', evidence: `${check} holds\nindeed` }
      assert.equal((await service.post(`/v1/tasks/${id}/checks/${check}`, decision)).status, 200)
    }
    const ask = async (body: string, options?: string[]): Promise<string> =>
      (await service.post(`/v1/tasks/${open.id}/questions`, { body, ...(options && { options }) })).body.data.id
    const answered = await ask('Which?', ['a', 'b'])
    await service.post(`/v1/questions/${answered}/answer`, { option: 'b', body: 'Of course.' })
    await service.post(`/v1/tasks/${open.id}/comments`, { body: 'Between' })
    await ask(`And ${done.id}?`, ['yes', 'no'])
    assert.equal((await service.patch(`/v1/tasks/${done.id}`, { status: 'done' })).status, 200)

    await Promise.all(['out.jsonl', 'out'].map((target) => user.wl('export', target, '-p', 'TRIP')))
    for (const source of ['out.jsonl', 'out']) {
      const key = await addTenant(service)
      const other = createShellUser(service.baseUrl, key)
      test.after(() => other.remove())
      await other.wl('import', join(user.folder, source))
      const read = async (path: string) => (await service.get(path, { key })).body.data
      assert.equal((await read('/v1/projects/TRIP')).defaultChecks.length, 1)
      const tasks = await read('/v1/tasks?projectId=TRIP')
      const titled = (title: string) => tasks.find((task: { title: string }) => task.title === title)
      const [opened, closed] = [titled('Open'), titled('Done')]
      assert.equal(opened.result, 'So far so good.')
      assert.deepEqual(
        opened.checks.map(({ text, verifier, state }: Record<string, string>) => [text, verifier, state]),
        [
          ['Reviewed', 'other', 'open'],
          ['The tests pass', 'anyone', 'open'],
        ],
      )
      assert.deepEqual([closed.status, closed.checks], ['done', []])
      const [question, ...others] = await read(`/v1/questions?taskId=${opened.id}`)
      assert.deepEqual(
        [question.body, question.options, question.state, others],
        [`And ${closed.id}?`, ['yes', 'no'], 'open', []],
      )
      const commentsOf = async (id: string): Promise<string[]> =>
        (await read(`/v1/tasks/${id}/comments`)).map(({ body }: { body: string }) => body)
      const [asked, between, decided] = await commentsOf(opened.id)
      assert.match(
        asked!,
        /^\*admin, \S+Z\*\n\nQuestion: Which\?\n\n- a\n- b\n\nAnswer \(admin, \S+Z\): b\n\nOf course\.$/,
      )
      assert.match(between!, /\n\nBetween$/)
      assert.match(decided!, /^Checks:\n\n- passed \(admin, \S+Z\): The tests pass\n\n {2}c2 holds\n {2}indeed$/)
      assert.equal((await commentsOf(closed.id)).length, 1)
    }
  })
})
