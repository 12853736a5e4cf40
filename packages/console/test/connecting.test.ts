import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Page } from 'playwright-core'
import { agentClients, otherClients } from 'worklore-client/setup'
import { engines } from 'worklore-testing/engines'
import { until } from 'worklore-testing/until'
import { colorRules, hasVariants, violationsIn } from './axe.js'
import { describeConsole } from './console-stage.js'
import { eventually } from './eventually.js'

/** Lists the tools, as a client does that has just been connected. */
const callMcp = async (url: string, authorization: string): Promise<number> => {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      authorization,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  })
  assert.match(await response.text(), /claim_task/)
  return response.status
}

const texts = (page: Page) => page.getByRole('dialog').locator('.command code').allTextContents()

describeConsole('connecting an agent', engines.slice(0, 1), (stage) => {
  it('is not offered as the first one before that is known', async () => {
    const page = await stage.open('projects')
    let send = (): void => undefined
    const isHeld = new Promise<void>((held) => {
      void page.route('**/v1/keys?*', async (route) => {
        held()
        await new Promise<void>((done) => {
          send = done
        })
        await route.continue()
      })
    })
    await stage.go(page, 'agents')
    await isHeld
    assert.equal(await page.getByText('No agent has worked here').count(), 0)
    send()
    await page.getByText('No agent has worked here yet').waitFor()
    // Those who do not see the keys know of the last events alone.
    const { key, id } = await stage.wl.keys.create({ name: 'reader', scopes: ['tasks:read'] })
    const other = await stage.open('agents', { key: key! })
    await other.getByText('No agent has worked here lately').waitFor()
    await stage.wl.keys.delete(id)
  })

  it('takes three clicks from the overview to a text, and says when the agent has called', async (test) => {
    const page = await stage.open()
    let clicks = 0
    const click = async (name: string): Promise<void> => {
      await page.getByRole('button', { name }).click()
      clicks++
    }
    await page.getByText('No agent has worked here yet').waitFor()
    await click('Connect an agent')
    assert.equal(await page.getByLabel('Name').inputValue(), 'agent-1')
    await click('Create agent')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('radio', { name: 'Claude Code' }).waitFor()
    const dialog = page.getByRole('dialog', { name: 'Connect agent-1' })
    await dialog.getByRole('button', { name: 'Copy the command' }).first().click()
    clicks++
    assert.equal(clicks, 3)
    const copied = await until(
      () => page.evaluate(() => navigator.clipboard.readText()),
      (text) => text !== '',
    )
    const [, url, authorization] = /^claude mcp add .* (http\S+) --header "Authorization: (Bearer wl_live_\w+)"$/.exec(
      copied,
    )!
    assert.equal(url, `${stage.service.baseUrl}/mcp`)
    const secret = authorization!.slice('Bearer '.length)

    await dialog.getByText('Waiting for the first call of agent-1').waitFor()
    const startedAtMs = performance.now()
    assert.equal(await callMcp(url!, authorization!), 200)
    await dialog.getByText('Connected: agent-1 made its first call.').waitFor()
    test.diagnostic(`connected is shown after ${Math.round(performance.now() - startedAtMs)} ms`)

    // It cannot be had again: nothing but its button takes it away, not even the agent that now is on the page.
    await page.keyboard.press('Escape')
    assert.ok(await dialog.isVisible())
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('link', { name: 'agent-1' }).waitFor()
    assert.ok(!(await page.content()).includes(secret))
    const { data } = (await stage.service.get('/v1/me', { key: secret })).body
    assert.deepEqual([data.user.name, data.user.kind], ['agent-1', 'agent'])
    assert.deepEqual(data.scopes, ['tasks:write', 'knowledge:write'])
  })

  it('gives what was chosen, and a text for each client', async () => {
    const project = await stage.wl.projects.create({ key: 'ACME', name: 'Acme' })
    await stage.wl.projects.create({ key: 'OTHER', name: 'Other' })
    const page = await stage.open('agents')
    await page.getByRole('button', { name: 'Connect an agent' }).click()
    await page.getByLabel('Name').fill('scribe')
    await page.getByRole('radio', { name: /^Read/ }).check()
    await page.getByRole('checkbox', { name: 'Acme' }).check()
    await page.getByRole('button', { name: 'Create agent' }).click()
    const { baseUrl } = stage.service
    await page.getByRole('radio', { name: 'curl' }).check()
    const apiKey = /wl_live_\w+/.exec((await texts(page))[0]!)![0]
    // Not by using it: the dialog waits for that.
    const { data: keys } = await stage.wl.keys.list({ limit: 100 })
    const { id, scopes, projectIds, userId } = keys.find(({ name }) => name === 'scribe')!
    assert.deepEqual([scopes, projectIds], [['tasks:read', 'knowledge:read'], [project.id]])
    assert.equal((await stage.wl.users.get(userId!)).name, 'scribe')
    for (const { name, instructions } of Object.values({ ...agentClients, ...otherClients })) {
      await page.getByRole('radio', { name, exact: true }).check()
      const shown = instructions({ baseUrl, apiKey })
      assert.deepEqual(
        await texts(page),
        shown.filter((each) => !('isLink' in each)).map(({ text }) => text.trimEnd()),
      )
      const links = await page
        .getByRole('dialog')
        .getByRole('link')
        .evaluateAll((all) => all.map((each) => each.getAttribute('href')))
      assert.deepEqual(
        links,
        shown.filter((each) => 'isLink' in each).map(({ text }) => text),
      )
    }
    await stage.wl.keys.delete(id)
    await page.getByText('The key was revoked.').waitFor()
  })

  it('works by keyboard, and says why there is no key', async () => {
    const page = await stage.open('agents')
    await page.getByRole('button', { name: 'Connect an agent' }).focus()
    await page.keyboard.press('Enter')
    await page.getByLabel('Name').waitFor()
    await page.keyboard.type('typist')
    await page.route('**/v1/keys', (route) =>
      route.fulfill({
        status: 403,
        json: { error: { code: 'FORBIDDEN', message: 'On this plan there is no room for another key.' } },
      }),
    )
    await page.keyboard.press('Enter')
    await page.getByRole('alert').filter({ hasText: 'no room for another key' }).waitFor()
    await page.unroute('**/v1/keys')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Connect typist' }).waitFor()
    await page.keyboard.press('ArrowRight')
    assert.ok(await page.getByRole('radio', { name: 'Codex' }).isChecked())
    assert.match((await texts(page))[0]!, /^\[mcp_servers\.worklore\]\nurl = /)
    await eventually(async () => (await stage.wl.users.list({ limit: 100 })).data.some(({ name }) => name === 'typist'))
  })

  for (const [what, options] of [
    ['on a desktop', {}],
    ['on a phone', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
  ] as const) {
    it(`has nothing that axe finds, ${what}`, async () => {
      const page = await stage.open('agents', options)
      let looks = 0
      const look = async (at: string): Promise<void> => {
        const looksAtVariants = hasVariants(looks++)
        if (looksAtVariants || what === 'on a desktop') assert.deepEqual(await violationsIn(page), [], at)
        if (looksAtVariants) {
          await page.emulateMedia({ colorScheme: 'dark' })
          assert.deepEqual(await violationsIn(page, colorRules), [], `${at} in the dark`)
          await page.emulateMedia({ colorScheme: 'light' })
        }
        const width = await page.evaluate(() => document.documentElement.scrollWidth)
        assert.ok(width <= (page.viewportSize()?.width ?? 0), `${at} is ${width} pixels wide`)
      }
      await page.getByRole('button', { name: 'Connect an agent' }).click()
      await page.getByLabel('Name').waitFor()
      await look('the form')
      await page.getByRole('button', { name: 'Create agent' }).click()
      for (const { name } of Object.values(agentClients)) {
        await page.getByRole('radio', { name, exact: true }).check()
        await look(name)
      }
      const [text] = await texts(page)
      await callMcp(`${stage.service.baseUrl}/mcp`, `Bearer ${/wl_live_\w+/.exec(text!)![0]}`)
      await page.getByText(/^\s*Connected: /).waitFor()
      await look('connected')
    })
  }

  it('is not offered to those who may not create a key', async () => {
    const { key } = await stage.wl.keys.create({ name: 'reader', scopes: ['tasks:read'] })
    const page = await stage.open('agents', { key: key! })
    await page.getByRole('heading', { name: 'Agents' }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Connect an agent' }).count(), 0)
  })
})
