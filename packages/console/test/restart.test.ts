import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { type Engine, engines } from 'worklore-testing/engines'
import { testAdminKey } from 'worklore-testing/harness'
import { environmentOf, startServing } from 'worklore-testing/program'
import { describeConsoleOf, type Served } from './console-stage.js'

interface Program extends Served {
  /** Ends it without giving it time for anything. */
  kill(): Promise<void>
  /** Starts it again, with the same store and port. */
  startAgain(): Promise<void>
}

const startKillable = async (engine: Engine): Promise<Program> => {
  const store = await engine.createPreparedStore()
  const environment = { ...environmentOf(store), WORKLORE_ADMIN_KEY: testAdminKey, WORKLORE_PLAN: 'self-hosted' }
  let running = await startServing({ ...environment, PORT: '0' })
  const { baseUrl } = running
  const kill = async (): Promise<void> => {
    running.child.kill('SIGKILL')
    await running.ended
  }
  return {
    baseUrl,
    adminKey: testAdminKey,
    kill,
    startAgain: async () => {
      running = await startServing({ ...environment, PORT: new URL(baseUrl).port })
    },
    stop: async () => {
      await kill()
      await store.remove()
    },
  }
}

describeConsoleOf('a service that is killed and started again', engines, startKillable, (stage) => {
  before(async () => {
    await stage.wl.projects.create({ key: 'BACK', name: 'Back' })
    await stage.wl.tasks.create({ projectId: 'BACK', title: 'Before' })
  })

  it('leaves every tab as it was, with its text and focus, and live again', async () => {
    const page = await stage.open('p/BACK/board?task=BACK-1')
    const other = await stage.tab(page, 'p/BACK/board')
    const title = (tab: typeof page) => tab.locator('[data-card="BACK-1"] .card-title')
    await title(other).waitFor()
    await page.bringToFront()
    const composer = page.getByLabel('Write a comment')
    await composer.click()
    await page.keyboard.type('Half a sen')
    await page.evaluate(() => Object.assign(window, { isSamePage: true }))

    await stage.service.kill()
    await page.getByRole('status').getByText('Reconnecting').waitFor()
    await page.keyboard.type('tence')
    assert.equal(await title(page).textContent(), 'Before')
    await stage.service.startAgain()

    await stage.wl.tasks.update('BACK-1', { title: 'After' })
    for (const tab of [page, other]) await title(tab).getByText('After').waitFor()
    await page.getByRole('status').getByText('Live').waitFor({ state: 'attached' })
    await page.keyboard.type('.')
    assert.equal(await composer.inputValue(), 'Half a sentence.')
    assert.equal(await page.evaluate(() => 'isSamePage' in window), true)
  })
})
