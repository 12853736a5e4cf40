import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { createKey, createTask, putItem } from 'worklore-testing/factories'
import { type Operation, readOperations, requiredHeaders } from 'worklore-testing/operations'
import { describeTenant } from 'worklore-testing/service-suite'
import { attemptsWith, fillTenant, type Side } from './two-tenants.js'

/** What belongs to a project; a key is limited in these alone. */
const ofProject = ['projectId', 'taskId', 'key']

describeTenant('keys limited to a project', (wl) => {
  let operations: Operation[]
  let inside: Side
  let outside: Side

  before(async () => {
    operations = await readOperations(wl)
    const filled = await fillTenant(wl, operations, wl.adminKey, 'ONE')
    const { body } = await wl.post('/v1/projects', { key: 'TWO', name: 'Two' })
    const second = body.data.id
    const task = await createTask(wl, second)
    await putItem(wl, 'two/notes', 'text', { projectId: second })
    const key = await createKey(wl, {
      scopes: ['tasks:write', 'knowledge:write'],
      projectIds: [filled.ids.projectId],
    })
    inside = { secret: key.key, ids: filled.ids }
    outside = { secret: key.key, ids: { ...filled.ids, projectId: second, taskId: task.id, key: 'two/notes' } }
  })

  it('are refused every record of another project, at every operation', async () => {
    let tried = 0
    for (const operation of operations) {
      for (const { what, method, path, body } of attemptsWith(operation, inside, (name) => outside.ids[name]!)) {
        if (
          !ofProject.some(
            (name) => what.endsWith(`{${name}}`) || what.endsWith(`?${name}`) || what.endsWith(`.${name}`),
          )
        )
          continue
        const headers = requiredHeaders(operation, outside.ids.taskId!)
        const options = { key: inside.secret, headers, ...(body !== undefined && { body }) }
        const answer = await wl.request(method, path, options)
        assert.equal(answer.status, 403, `${what}: ${answer.text}`)
        tried++
      }
    }
    assert.ok(tried >= 10)
  })

  it('see nothing of another project in any list', async () => {
    for (const operation of operations.filter(({ method, template }) => method === 'GET' && !template.includes('{'))) {
      const { text } = await wl.get(operation.template, { key: inside.secret })
      for (const id of [outside.ids.taskId!, outside.ids.projectId!, 'two/notes']) {
        assert.ok(!text.includes(id), `${operation.id} shows ${id}`)
      }
    }
  })

  it('read tenant-wide knowledge but do not write it', async () => {
    const path = `/v1/knowledge/${inside.ids.key}`
    assert.equal((await wl.get(path, { key: inside.secret })).status, 200)
    assert.equal((await wl.put(path, { content: 'mine' }, { key: inside.secret })).status, 403)
    assert.equal((await wl.delete(path, { key: inside.secret })).status, 403)
  })
})
