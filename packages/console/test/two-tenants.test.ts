import assert from 'node:assert/strict'
import { Worklore } from 'worklore-client'
import { enginesBehindService } from 'worklore-testing/engines'
import { addTenant } from 'worklore-testing/operator'
import { describeConsole } from './console-stage.js'
import { it, journey } from './journeys.js'

const note = 'guides/setup'

describeConsole('two tenants in one browser', enginesBehindService, (stage) => {
  const write = async (apiKey: string, text: string): Promise<void> => {
    const client = new Worklore({ baseUrl: stage.service.baseUrl, apiKey })
    const { version } = await client.knowledge.put(note, { content: text })
    // The same address and the same version: what differs is whose it is.
    assert.equal(version, 1)
  }

  journey('see nothing of each other, one after the other', async () => {
    const otherKey = await addTenant(stage.service)
    await write(stage.service.adminKey, 'the first tenant’s plan')
    await write(otherKey, 'the other tenant’s plan')
    const page = await stage.open(`k/${note}`)
    await page.getByText('the first tenant’s plan').first().waitFor()
    await page.reload()
    await page.getByText('the first tenant’s plan').first().waitFor()
    await page.getByRole('button', { name: /admin/ }).click()
    await page.getByRole('option', { name: 'Sign out' }).click()
    await page.getByLabel('API key').waitFor()

    await page.getByLabel('API key').fill(otherKey)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.locator('.page-head').waitFor()
    await stage.go(page, `k/${note}`)
    await page
      .getByText(/tenant’s plan/)
      .first()
      .waitFor()
    assert.doesNotMatch(await page.locator('body').innerText(), /the first tenant’s plan/)
    await page.reload()
    await page.getByText('the other tenant’s plan').first().waitFor()
  })

  it('see nothing of each other with a key in a page of their own', async () => {
    const otherKey = await addTenant(stage.service)
    await write(otherKey, 'another tenant’s plan')
    const page = await (await stage.window()).newPage()
    await page.goto(stage.url(''))
    const read = (key: string): Promise<string> =>
      page.evaluate(
        async ([url, authorization]) =>
          (await (await fetch(url!, { headers: { authorization: authorization! } })).json()).data.content,
        [`${stage.service.baseUrl}/v1/knowledge/${note}`, `Bearer ${key}`],
      )
    assert.equal(await read(stage.service.adminKey), 'the first tenant’s plan')
    assert.equal(await read(otherKey), 'another tenant’s plan')
  })
})
