import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import type { Page } from 'playwright-core'
import { enginesBehindService } from 'worklore-testing/engines'
import { quietBoundMs } from 'worklore-testing/long-run'
import { describeConsole } from './console-stage.js'
import { eventually } from './eventually.js'

const shownWithinMs = quietBoundMs(200)
const titleOf = (page: Page, id: string) => page.locator(`[data-card="${id}"] .card-title`)

/** Notes when the page first shows the text. */
const noteWhenShown = (page: Page, text: string): Promise<number> =>
  page.evaluate(
    (wanted) =>
      new Promise<number>((resolve) => {
        const look = (): void => {
          if (document.body.textContent?.includes(wanted)) resolve(Date.now())
          else requestAnimationFrame(look)
        }
        look()
      }),
    text,
  )

const median = (values: number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!

describeConsole('what happens elsewhere, without delay', enginesBehindService, (stage) => {
  before(async () => {
    await stage.wl.projects.create({ key: 'LIVE', name: 'Live' })
    await stage.wl.tasks.create({ projectId: 'LIVE', title: 'Zero' })
  })

  it('is shown in every tab at once, over one stream, and after the leading tab has gone', async () => {
    const first = await stage.open('p/LIVE/board')
    const tabs = [first]
    for (let count = 1; count < 9; count++) tabs.push(await stage.tab(first, 'p/LIVE/board'))
    for (const tab of tabs) await titleOf(tab, 'LIVE-1').waitFor()
    await first.bringToFront()
    let rounds = 0
    const measure = async (): Promise<number> => {
      const title = `Round ${++rounds} is here`
      const shown = noteWhenShown(first, title)
      await stage.wl.tasks.update('LIVE-1', { title })
      const answeredMs = Date.now()
      return (await shown) - answeredMs
    }
    let delays: number[] = []
    // A machine that does something else meanwhile may be slow once, but not again and again.
    for (let tries = 0; tries < 3 && !(median(delays) < shownWithinMs); tries++) {
      delays = []
      for (let left = 7; left > 0; left--) delays.push(await measure())
    }
    assert.ok(median(delays) < shownWithinMs, `shown after ${delays} ms`)
    for (const tab of tabs)
      await eventually(async () => (await titleOf(tab, 'LIVE-1').textContent()) === `Round ${rounds} is here`)

    await first.close()
    await tabs[1]!.bringToFront()
    await stage.wl.tasks.update('LIVE-1', { title: 'After the first tab' })
    for (const tab of tabs.slice(1))
      await eventually(async () => (await titleOf(tab, 'LIVE-1').textContent()) === 'After the first tab')
  })
})
