import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { browserEnvironment, browserFlags, findBrowser } from 'worklore-testing/find-browser'
import type { TrialService } from './trial-service.js'

export const launchBrowser = (flags: string[] = []): Promise<Browser> => {
  const executablePath = findBrowser()
  if (!executablePath) throw new Error('No Chromium was found. Install it, or name one with WORKLORE_TEST_BROWSER.')
  return chromium.launch({
    executablePath,
    args: [...browserFlags, ...flags],
    env: { ...process.env, ...browserEnvironment(executablePath) } as Record<string, string>,
  })
}

export const openSignedIn = async (
  browser: Browser,
  { baseUrl, adminKey }: TrialService,
  options: BrowserContextOptions,
): Promise<Page> => {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  await page.goto(`${baseUrl}/console/`)
  await page.getByLabel('API key').fill(adminKey)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('.page-head').waitFor()
  return page
}
