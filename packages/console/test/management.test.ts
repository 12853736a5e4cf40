import assert from 'node:assert/strict'
import { it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { describeConsole } from './console-stage.js'
import { eventually } from './eventually.js'

describeConsole('managing by the console', engines.slice(0, 1), (stage) => {
  it('makes projects, changes their settings and deletes them', async () => {
    const page = await stage.open('projects')
    await page.getByRole('button', { name: 'New project' }).click()
    await page.getByLabel('Name').fill('Web shop')
    assert.equal(await page.getByRole('textbox', { name: 'Key' }).inputValue(), 'WEBS')
    await page.getByRole('textbox', { name: 'Key' }).fill('SHOP')
    await page.getByRole('button', { name: 'Create project' }).click()
    await page.getByRole('link', { name: 'Web shop' }).first().waitFor()
    await page.getByRole('button', { name: 'Actions on SHOP' }).click()
    await page.getByRole('option', { name: 'Settings' }).click()
    await page.getByLabel('Attempts per task').fill('2')
    await page.getByRole('button', { name: 'Save' }).click()
    await eventually(async () => (await stage.wl.projects.get('SHOP')).maxAttempts === 2)
    await page.getByRole('button', { name: 'Actions on SHOP' }).click()
    await page.getByRole('option', { name: 'Delete' }).click()
    assert.ok(await page.getByRole('button', { name: 'Delete project' }).isDisabled())
    await page.getByLabel(/to confirm/).fill('SHOP')
    await page.getByRole('button', { name: 'Delete project' }).click()
    await eventually(async () => (await stage.wl.projects.list()).data.length === 0)
  })

  it('makes keys that are shown once, rotates and revokes them', async () => {
    const page = await stage.open('keys')
    await page.getByRole('button', { name: 'New key' }).click()
    await page.getByLabel('Name').fill('agent-7')
    await page.getByRole('button', { name: 'Create key' }).click()
    const secret = (await page.getByRole('dialog').locator('code').textContent())!
    assert.match(secret, /^wl_live_/)
    assert.equal((await stage.service.get('/v1/me', { key: secret })).status, 200)
    // It cannot be had again: nothing but its button takes it away.
    for (const _ of [1, 2, 3]) await page.keyboard.press('Escape')
    await page.mouse.click(5, 5)
    await page.keyboard.press('Escape')
    assert.ok(await page.getByRole('dialog').getByText(secret).isVisible())
    assert.equal(await page.getByRole('dialog').getByRole('button', { name: 'Close' }).count(), 0)
    await page.getByRole('button', { name: 'Done' }).click()
    assert.ok(!(await page.content()).includes(secret))
    await page.getByRole('button', { name: 'Actions on agent-7' }).click()
    await page.getByRole('option', { name: 'Rotate' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click()
    await page.getByRole('dialog').locator('code').waitFor()
    assert.notEqual(await page.getByRole('dialog').locator('code').textContent(), secret)
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Actions on agent-7' }).click()
    await page.getByRole('option', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('agent-7 is revoked').waitFor()
    assert.equal((await stage.service.get('/v1/me', { key: secret })).status, 401)
  })

  it('invites a person, who gets in by the link', async () => {
    const page = await stage.open('keys')
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByLabel('Name').fill('Grace')
    await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click()
    const link = (await page.getByRole('dialog').locator('code').textContent())!
    await page.keyboard.press('Escape')
    assert.ok(await page.getByRole('dialog').getByText(link).isVisible())
    const guest = await (await stage.window()).newPage()
    await guest.goto(link)
    await guest.getByRole('button', { name: /Grace/ }).waitFor()
  })

  it('makes a webhook, tests it and shows its deliveries', async () => {
    const page = await stage.open('webhooks')
    await page.getByRole('button', { name: 'New webhook' }).click()
    await page.getByLabel('URL').fill('https://worklore.invalid/hook')
    await page.getByRole('dialog').getByRole('button', { name: 'Create webhook' }).click()
    assert.match((await page.getByRole('dialog').locator('code').textContent())!, /^whsec_/)
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByRole('row', { name: /ping/ }).first().waitFor()
    await page
      .getByRole('button', { name: /Resend/ })
      .first()
      .click()
    await page.getByText('Resent').waitFor()
  })

  it('makes a webhook for a chat, and keeps its URL when it is edited', async () => {
    const { id: userId } = await stage.wl.users.create({ name: 'Hopper <b>', kind: 'human' })
    const page = await stage.open('webhooks')
    await page.getByRole('button', { name: 'New webhook' }).click()
    const dialog = page.getByRole('dialog')
    const choose = async (present: string, option: string): Promise<void> => {
      await dialog.getByRole('button', { name: present }).click()
      await page.getByRole('option', { name: option, exact: true }).click()
    }
    await choose('Signed JSON', 'Slack')
    await choose('Events', 'What needs people')
    assert.equal(await dialog.getByText('Events', { exact: true }).count(), 0)
    await page.getByLabel('URL').fill('https://worklore.invalid/services/T0/B0/secretsecret')
    await dialog.getByText('it is not shown again').waitFor()
    await dialog.getByRole('button', { name: 'Create webhook' }).click()
    // A chat verifies nothing, so no signing secret is shown.
    const facts = page.locator('.facts')
    await facts.getByText('What needs people').waitFor()
    await facts.getByText('Slack').waitFor()
    const created = (await stage.wl.webhooks.list()).data.find(({ format }) => format === 'slack')!
    assert.deepEqual([created.inboxOf, created.events], ['humans', []])

    await page.getByRole('button', { name: 'Actions on the webhook' }).click()
    assert.equal(await page.getByRole('option', { name: 'Rotate the secret' }).count(), 0)
    await page.getByRole('option', { name: 'Edit' }).click()
    assert.equal(await page.getByLabel('URL').inputValue(), '')
    await choose('What needs people', 'What needs Hopper <b>')
    const patch = page.waitForRequest((request) => request.method() === 'PATCH')
    await dialog.getByRole('button', { name: 'Save' }).click()
    assert.deepEqual((await patch).postDataJSON(), { inboxOf: userId, projectId: null, description: '' })
    await facts.getByText('What needs Hopper <b>').waitFor()
    await stage.go(page, 'webhooks')
    await page.getByRole('cell', { name: 'What needs Hopper <b>' }).waitFor()
  })

  it('says who holds what and what is stuck, and releases it', async () => {
    await stage.wl.projects.create({ key: 'WORK', name: 'Work', maxAttempts: 1 })
    for (const title of ['Held for long', 'Failed before']) await stage.wl.tasks.create({ projectId: 'WORK', title })
    const { key } = await stage.wl.keys.create({ name: 'agent-3', scopes: ['tasks:write'] })
    const claim = async (id: string) =>
      (await stage.service.post(`/v1/tasks/${id}/claim`, {}, { key: key! })).body.data.claim.token as string
    const token = await claim('WORK-2')
    await stage.service.post('/v1/tasks/WORK-2/release', {}, { key: key!, headers: { 'worklore-claim': token } })
    await claim('WORK-1')
    const page = await stage.open()
    await page.getByRole('row', { name: /agent-3 working WORK-1 Held for long/ }).waitFor()
    const needs = page.getByRole('region', { name: 'Needs you' })
    await needs.getByText('Failed before').waitFor()
    await needs.getByRole('button', { name: 'Retry WORK-2: allow more attempts' }).click()
    await eventually(async () => (await stage.wl.tasks.get('WORK-2')).attempts === 0)
    await page.clock.install({ time: Date.now() + 11 * 60_000 })
    await page.reload()
    await needs.getByText('Held for long').waitFor()
    await needs.getByText(/silent for 11m/).waitFor()
    await needs.getByRole('button', { name: 'Release WORK-1' }).click()
    await eventually(async () => (await stage.wl.tasks.get('WORK-1')).status === 'todo')
  })

  it('follows events, pauses, and goes on', async () => {
    const page = await stage.open('events')
    await stage.wl.projects.create({ key: 'EVNT', name: 'First seen' })
    await page.getByText('First seen').first().waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await stage.wl.projects.update('EVNT', { name: 'Second seen' })
    await page.getByRole('button', { name: /Resume · 1 new/ }).waitFor()
    await page.getByRole('button', { name: /Resume/ }).click()
    await page.getByText('Second seen').first().waitFor()
    await page.getByRole('button', { name: 'Type' }).click()
    await page.getByRole('option', { name: 'key.*' }).click()
    await eventually(async () => (await page.getByText('project.updated').count()) === 0)
  })
})
