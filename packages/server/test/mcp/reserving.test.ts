import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createKey, createProject, createUser } from 'worklore-testing/factories'
import { generations } from 'worklore-testing/mcp-clients'
import { describeClient } from 'worklore-testing/service-suite'

describeClient('moving by MCP', (wl) => {
  it('changes the project of a task, and lists what is assigned', async (test) => {
    for (const key of ['HERE', 'THERE']) await createProject(wl, { key })
    const user = await createUser(wl, { name: 'Mover' })
    const { key } = await createKey(wl, { name: 'agent', userId: user.id })
    const client = await generations.at(-1)!.connect(wl, key)
    test.after(() => client.close())
    for (const title of ['One', 'Two']) await client.call('create_task', { project: 'HERE', title })
    await client.call('claim_task', { id: 'HERE-1' })
    assert.match(
      (await client.call('update_task', { id: 'HERE-1', project: 'THERE' })).text,
      /^CONFLICT: HERE-1 is claimed/,
    )
    const args = { id: 'here-1', claim: 'HERE-1.1', project: 'there', title: 'Moved' }
    for (const version of [3, 4]) {
      const moved = await client.call('update_task', args)
      assert.deepEqual(
        [moved.isError, moved.text.includes(`version ${version + (version === 3 ? 1 : 0)}`)],
        [false, true],
        moved.text,
      )
    }
    assert.match((await client.call('list_tasks', { project: 'THERE' })).text, /^HERE-1 /)
    assert.match((await client.call('update_task', { id: 'HERE-2', project: 'NONE' })).text, /project "NONE" not found/)
    assert.match(
      (await client.call('update_task', { id: 'HERE-2', project: 'THERE', version: 7 })).text,
      /^PRECONDITION_FAILED/,
    )
    await client.call('update_task', { id: 'HERE-2', assignee: user.id })
    assert.match((await client.call('list_tasks', { assignee: 'me' })).text, /^HERE-2 .*\n1 of 1/)
    assert.match((await client.call('list_tasks', { assignee: 'none' })).text, /^HERE-1 .*\n1 of 1/)
    assert.match((await client.call('list_tasks', { assignee: user.handle })).text, /^HERE-2 /)
  })
})

describeClient('resources by MCP', (wl) => {
  it('are set, shown, and refused in one sentence while another claim reserves them', async (test) => {
    await createProject(wl, { key: 'NEED' })
    const { key } = await createKey(wl, { name: 'agent', scopes: ['tasks:write'] })
    const client = await generations.at(-1)!.connect(wl, key)
    test.after(() => client.close())
    for (const title of ['One', 'Two']) {
      await client.call('create_task', { project: 'NEED', title, resources: ['web/', 'env staging'] })
    }
    const claimed = await client.call('claim_task', { id: 'NEED-1' })
    assert.equal(claimed.isError, false)
    assert.match((await client.call('get_task', { id: 'NEED-1' })).text, /resources web\/ "env staging"/)
    const refused = await client.call('claim_task', { id: 'NEED-2' })
    assert.match(
      refused.text,
      /^CONFLICT: NEED-2 needs "env staging": NEED-1 reserves it, claimed by "agent" until \S+Z\. Work on another task, or wait until it is free\. \(retry in \d+ s\)$/,
    )
    assert.match((await client.call('claim_task', { project: 'NEED' })).text, /1 waiting for a resource/)
    const claim = 'NEED-1.1'
    const changed = await client.call('update_task', { id: 'NEED-1', claim, resources: ['web/'] })
    assert.equal(changed.isError, false, changed.text)
    assert.match((await client.call('claim_task', { id: 'NEED-2' })).text, /NEED-2 needs "web\/"/)
  })
})
