import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createProject, createTask, putItem } from 'worklore-testing/factories'
import { describeClient } from 'worklore-testing/service-suite'
import { userFor } from './wl.js'

describeClient('what a claim brings with wl', (service) => {
  it('shows what is known with a claim, on its own, and to programs that ask', async (test) => {
    const user = userFor(test, service)
    await createProject(service, { key: 'CTX' })
    const parent = await createTask(service, 'CTX', { title: 'Billing', description: 'All about invoices.' })
    const { id } = await createTask(service, 'CTX', {
      title: 'Render invoices as PDF',
      parentId: parent.id,
      priority: 'urgent',
    })
    await putItem(service, 'guides/pdf', '# PDF\n\nInvoices as PDF need embedded fonts.')
    const shown = await user.wl('context', id)
    assert.match(shown, /^CTX-2 todo {2}Render invoices as PDF\n\npart of\nCTX-1 Billing\n {3}All about invoices\./)
    assert.match(shown, /notes\nguides\/pdf PDF\n {3}Invoices as PDF need embedded fonts\./)
    const json = JSON.parse(await user.wl('context', id, '--tokens', '200', '--json'))
    assert.ok(json.data.tokens <= 200)
    assert.equal((await user.run(['context', id, '--tokens', '5'])).code, 2)

    assert.match(await user.wl('claim', id), /token|claim[\s\S]*notes\nguides\/pdf/)
    assert.equal('context' in JSON.parse(await user.wl('claim', id, '--takeover', '--json')), false)
    const asked = JSON.parse(await user.wl('claim', id, '--takeover', '--json', '--tokens', '400'))
    assert.equal(asked.context.task.id, id)
    assert.doesNotMatch(await user.wl('claim', id, '--takeover', '--tokens', '0'), /guides\/pdf/)
    assert.equal((await user.run(['claim', id, '--takeover', '--tokens', 'x'])).code, 2)
    await user.wl('release', id)
    assert.match(await user.wl('next', '--claim', '-p', 'CTX'), /notes\nguides\/pdf/)
  })
})
