import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { inLongRun, isShortRun } from 'worklore-testing/long-run'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  id: string
  nodes: { html: string; failureSummary?: string }[]
}

/** Nothing but colors differs in the dark. */
export const colorRules = ['color-contrast']

/** Whether axe also checks the view with this number in the dark and on a phone. `npm test` checks no view this way. */
export const hasVariants = (at: number): boolean => !isShortRun && at % inLongRun(4, 1) === 0

/** Colors change over a moment, however short, and what inherits them begins a frame later. */
const settle = `(async () => {
  for (let running = [true]; running.length > 0; ) {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
    running = document.getAnimations().filter(({ playState }) => playState === 'running')
    await Promise.allSettled(running.map(({ finished }) => finished))
  }
})()`

/** axe is run outside of the page's own policy, which forbids it. */
export const violationsIn = async (page: Page, rules?: readonly string[]): Promise<string[]> => {
  const session = await page.context().newCDPSession(page)
  const { result: known } = await session.send('Runtime.evaluate', { expression: 'typeof axe' })
  if (known.value === 'undefined') await session.send('Runtime.evaluate', { expression: axe })
  const { result } = await session.send('Runtime.evaluate', {
    expression: `${settle}.then(() => axe.run(document, { resultTypes: ['violations'], runOnly: ${JSON.stringify(rules)} })).then(({ violations }) => JSON.stringify(violations))`,
    awaitPromise: true,
    returnByValue: true,
  })
  await session.detach()
  const violations = JSON.parse(result.value as string) as Violation[]
  return violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ html, failureSummary }) => `${html.slice(0, 160)} ${failureSummary ?? ''}`).join(' | ')}`,
  )
}

let looks = 0

/** In light and dark, and as on a phone. */
export const checkLooks = async (page: Page): Promise<void> => {
  const looksAtVariants = hasVariants(looks++)
  // In `npm test`, a separate test runs axe once on each page.
  if (!isShortRun) assert.deepEqual(await violationsIn(page), [], page.url())
  if (looksAtVariants) {
    await page.emulateMedia({ colorScheme: 'dark' })
    assert.deepEqual(await violationsIn(page, colorRules), [], `${page.url()} in the dark`)
    await page.emulateMedia({ colorScheme: 'light' })
  }
  await page.setViewportSize({ width: 390, height: 844 })
  if (looksAtVariants) assert.deepEqual(await violationsIn(page), [], `${page.url()} phone`)
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  assert.ok(overflow <= 0, `${page.url()} is ${overflow} px too wide`)
  await page.setViewportSize({ width: 1280, height: 800 })
}
