import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createKey, createProject } from 'worklore-testing/factories'
import { generations } from 'worklore-testing/mcp-clients'
import { describeTenant } from 'worklore-testing/service-suite'

describeTenant('resources by MCP', (wl) => {
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
