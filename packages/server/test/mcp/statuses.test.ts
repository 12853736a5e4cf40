import assert from 'node:assert/strict'
import { it } from 'node:test'
import { expectStatus } from 'worklore-testing/expect'
import { createKey, createProject } from 'worklore-testing/factories'
import { generations } from 'worklore-testing/mcp-clients'
import { describeClient } from 'worklore-testing/service-suite'

const statuses = [
  { status: 'backlog', name: 'Backlog', category: 'todo' },
  { status: 'dev', name: 'In development', category: 'in_progress' },
  { status: 'in_qa', name: 'In QA', category: 'in_review' },
  { status: 'done', name: 'Done', category: 'done' },
  { status: 'dropped', name: 'Dropped', category: 'cancelled' },
]

describeClient('statuses of a project by MCP', (wl) => {
  it('are set, listed and shown with their category', async (test) => {
    await createProject(wl, { key: 'OWN' })
    expectStatus(await wl.patch('/v1/projects/OWN', { statuses }), 200)
    const { key } = await createKey(wl, { name: 'agent', scopes: ['tasks:write'] })
    const client = await generations.at(-1)!.connect(wl, key)
    test.after(() => client.close())
    const created = await client.call('create_task', { project: 'OWN', title: 'One' })
    assert.match(created.text, /OWN-1 backlog \(todo\) medium "One"/)
    assert.match(
      (await client.call('update_task', { id: 'OWN-1', status: 'in_qa' })).text,
      /OWN-1 in_qa \(in_review\) /,
    )
    assert.match((await client.call('list_tasks', { project: 'OWN', status: 'in_qa' })).text, /OWN-1/)
    assert.match((await client.call('list_tasks', { project: 'OWN', status: 'in_review' })).text, /OWN-1/)
    const unknown = await client.call('update_task', { id: 'OWN-1', status: 'nowhere' })
    assert.match(unknown.text, /status must be one of backlog, dev, in_qa, done, dropped, todo, /)
    await client.call('update_task', { id: 'OWN-1', status: 'todo' })
    assert.match((await client.call('claim_task', { project: 'OWN' })).text, /OWN-1 dev \(in_progress\)/)
    const ended = { id: 'OWN-1', claim: 'OWN-1.1', outcome: 'review', summary: 'Look at it' }
    assert.match((await client.call('finish_task', ended)).text, /OWN-1 in_qa \(in_review\)/)
    assert.match((await client.call('finish_task', ended)).text, /was already handed in for review by you/)
  })
})
