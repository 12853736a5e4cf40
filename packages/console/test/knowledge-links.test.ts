import assert from 'node:assert/strict'
import { it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { expectStatus } from 'worklore-testing/expect'
import { describeConsole } from './console-stage.js'
import { eventually } from './eventually.js'

describeConsole('links between items in the console', engines.slice(0, 1), (stage) => {
  it('lead to items of the place, and are marked where there is none', async () => {
    const project = await stage.wl.projects.create({ key: 'LINK', name: 'Links' })
    await stage.wl.knowledge.put('guides/setup', { content: 'The setup' })
    await stage.wl.knowledge.put('guides/local', { content: 'Local', projectId: project.id })
    await stage.wl.knowledge.put('was/here', { content: 'Moved' })
    await stage.wl.knowledge.move({ from: 'was/here', to: 'is/there' })
    await stage.wl.knowledge.put('guides/start', {
      projectId: project.id,
      content: [
        'See [[guides/setup]], [[local|the *local* one]], [[guides/setup#Part]] and [a](./local.md).',
        'Also [[no/such]], [[was/here]], `[[code]]`, [out](https://example.com) and LINK-1.',
        '| a |\n|---|\n| [[guides/setup\\|in a table]] |',
      ].join('\n\n'),
    })
    const page = await stage.open('k/guides/start?project=LINK')
    const text = page.locator('.item .prose')
    const hrefOf = (name: string) => text.getByRole('link', { name, exact: true }).first().getAttribute('href')
    await text.getByRole('link', { name: 'in a table' }).waitFor()
    await eventually(async () => (await text.locator('.missing-item').count()) === 1)
    assert.equal(await hrefOf('guides/setup'), '/console/k/guides/setup')
    assert.equal(await hrefOf('the *local* one'), '/console/k/guides/local?project=LINK')
    assert.equal(await hrefOf('a'), '/console/k/guides/local?project=LINK')
    assert.equal(await hrefOf('out'), 'https://example.com')
    assert.match((await text.locator('.missing-item').textContent()) ?? '', /^no\/such/)
    assert.equal(await text.locator('code').textContent(), '[[code]]')

    // The item appears, and the mark goes.
    await stage.wl.knowledge.put('no/such', { content: 'Now there is' })
    await eventually(async () => (await text.locator('.missing-item').count()) === 0)
    await text.getByRole('link', { name: 'was/here' }).click()
    await page.locator('.item .prose').getByText('Moved').waitFor()
    assert.match(page.url(), /is\/there/)
    await page.getByText('was/here was moved to is/there').waitFor()
  })

  it('are completed in the editor after [[, by keyboard', async () => {
    await stage.wl.knowledge.put('runbooks/deploy', { content: 'Deploy', title: 'Shipping it' })
    await stage.wl.knowledge.put('runbooks/rollback', { content: 'Rollback' })
    await stage.wl.knowledge.put('index', { content: '' })
    const page = await stage.open('k/index?edit=1')
    await page.getByRole('textbox', { name: 'Text of index' }).click()
    await page.keyboard.type('See [[run')
    const list = page.getByRole('listbox', { name: 'Items to link to' })
    await list.getByRole('option', { name: 'runbooks/rollback' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await list.waitFor({ state: 'detached' })
    await page.keyboard.type(' and [[shipping')
    await list.getByRole('option', { name: 'runbooks/deploy' }).click()
    await page.keyboard.type('. [[run')
    await list.waitFor()
    await page.keyboard.press('Escape')
    await list.waitFor({ state: 'detached' })
    await page.keyboard.type('x')
    await page.getByRole('region', { name: 'Preview' }).getByRole('link', { name: 'runbooks/rollback' }).waitFor()
    await page.keyboard.press('Control+s')
    await eventually(
      async () =>
        (await stage.wl.knowledge.get('index')).content === 'See [[runbooks/rollback]] and [[runbooks/deploy]]. [[runx',
    )
  })

  it('are listed on the item that they lead to, also when they are new', async () => {
    await stage.wl.knowledge.put('target', { content: 'Aim' })
    await stage.wl.knowledge.put('from/one', { content: '[[target]]', title: 'The first' })
    const page = await stage.open('k/target')
    const backlinks = page.getByRole('region', { name: 'Linked from' })
    await backlinks.getByRole('link', { name: 'The first' }).waitFor()
    await stage.wl.knowledge.put('from/two', { content: '[[target]]' })
    await backlinks.getByRole('link', { name: 'from/two' }).click()
    await page.locator('.item .prose').getByRole('link', { name: 'target' }).waitFor()
  })

  it('and fields run and load nothing, whatever their text', async () => {
    const evil = '<img src=x onerror=window.hacked=1>'
    await stage.wl.knowledge.put('evil/old', { content: 'Old' })
    await stage.wl.knowledge.put(`evil/${evil.replaceAll('/', '|')}`, {
      content: [
        `[[${evil}]] [[a|${evil}]] [[javascript:window.hacked=1]] [[javascript:window.hacked=1|x]]`,
        `[[../../..]] [[${'a/'.repeat(200)}b]] ${'[['.repeat(5_000)}`,
        '[x](../javascript:window.hacked=1) [y](javascript:window.hacked=1) ![[https://example.com/pixel.png]]',
      ].join('\n\n'),
      title: evil,
      tags: [evil.slice(0, 64)],
      source: 'javascript:window.hacked=1',
      metadata: { [evil]: '</pre><script>window.hacked=1</script>' },
      supersedes: ['evil/old'],
    })
    const key = `evil/${evil.replaceAll('/', '|')}`
    expectStatus(await stage.service.post('/v1/knowledge/retract', { key, reason: evil }), 200)
    const { version } = await stage.wl.knowledge.get(key)
    const verdict = { key, version, trust: 'disputed', note: `\u202e${evil}` }
    expectStatus(await stage.service.post('/v1/knowledge/verdict', verdict), 200)
    const page = await stage.open(`k/${key.split('/').map(encodeURIComponent).join('/')}`)
    await page.getByRole('heading', { name: evil }).waitFor()
    await page.locator('.item .prose a').first().waitFor()
    for (const path of ['', `k/evil/old`, `search?q=${encodeURIComponent('hacked onerror')}`]) {
      const found = await page.evaluate(() => ({
        hacked: 'hacked' in window,
        elements: document.querySelectorAll('img, script:not([src]), iframe').length,
        protocols: [...document.querySelectorAll<HTMLAnchorElement>('a[href]')]
          .map(({ protocol }) => protocol)
          .filter((protocol) => !/^https?:$/.test(protocol)),
      }))
      assert.deepEqual(found, { hacked: false, elements: 0, protocols: [] }, path)
      if (path) await stage.go(page, path)
    }
  })
})
