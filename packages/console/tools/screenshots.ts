import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { launchBrowser, openSignedIn } from './browser-page.js'
import { createFleet } from './fleet.js'
import { startTrialService } from './trial-service.js'

/** Writes the screenshots of the README and docs/console.md: a fleet of agents at work, as the console shows it. */

const folder = fileURLToPath(new URL('../../../../docs/images/', import.meta.url))

interface Shot {
  name: string
  path: string
  scheme?: 'light' | 'dark'
  width?: number
  height?: number
  before?: (page: Page) => Promise<void>
}

const shots: Shot[] = [
  { name: 'console-overview', path: '' },
  { name: 'console-inbox', path: 'inbox' },
  { name: 'console-agents', path: 'agents' },
  { name: 'console-board', path: 'p/SHOP/board' },
  { name: 'console-board-dark', path: 'p/SHOP/board', scheme: 'dark' },
  {
    name: 'console-task',
    path: 'p/SHOP/board?task=SHOP-1',
    before: async (page) => {
      await page.getByText('Customers who come back').waitFor()
      await page.getByText('A fix is in review.').waitFor()
    },
  },
  { name: 'console-knowledge', path: 'k/guides/setup/linux' },
  {
    name: 'console-editor',
    path: 'k/guides/style?edit=1',
    scheme: 'dark',
    before: async (page) => {
      await page.getByRole('textbox', { name: /Text of/ }).click()
      await page.keyboard.press('Control+End')
      await page.keyboard.type('\n- Show the **command** first.')
    },
  },
  { name: 'console-graph', path: 'p/SHOP/graph' },
  { name: 'console-events', path: 'events' },
  {
    name: 'console-palette',
    path: 'p/SHOP/board',
    before: async (page) => {
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog').waitFor()
      await page.keyboard.type('checkout')
      await page.getByRole('option', { name: /checkout-flakiness/ }).waitFor()
    },
  },
  { name: 'console-phone', path: 'p/SHOP/board', width: 390, height: 844 },
]

mkdirSync(folder, { recursive: true })
const service = await startTrialService()
const browser = await launchBrowser(['--font-render-hinting=none'])
try {
  const fleet = await createFleet(service.baseUrl, service.adminKey)
  await fleet.work(6)
  for (const { name, path, scheme = 'light', width = 1280, height = 800, before } of shots) {
    const page = await openSignedIn(
      browser,
      { ...service, adminKey: fleet.personKey },
      {
        viewport: { width, height },
        colorScheme: scheme,
        reducedMotion: 'reduce',
      },
    )
    await page.goto(`${service.baseUrl}/console/${path}`)
    await page.locator('.page-head').waitFor()
    await page.waitForTimeout(1_500)
    await before?.(page)
    await page.waitForTimeout(600)
    await page.screenshot({ path: `${folder}${name}.png` })
    await page.context().close()
    console.log(`docs/images/${name}.png`)
  }
} finally {
  await browser.close()
  await service.stop()
}
