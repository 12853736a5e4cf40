import type { Browser, Page } from 'playwright-core'
import { taskPriorities, taskStatuses, Worklore } from 'worklore-client'
import { launchBrowser, openSignedIn } from './browser-page.js'
import { startTrialService, type TrialService } from './trial-service.js'

/**
 * Measures the console with 10,000 tasks of one project and 10,000 notes in the tree, against its budgets: the median of
 * some rounds, each in a browser window of its own.
 */

const records = Number(process.argv[2] ?? 10_000)
const rounds = 3
const liveChanges = 300
const timedChanges = 60
const perBatch = 100
const budgets = { firstPaintMs: 1_000, longestTaskMs: 100, heapMb: 150, liveMs: 100, frameMs: 8 }
/** While scrolling, so far each frame: 6,000 pixels a second. */
const scrollStepPx = 100
const scrollFrames = 60
/** For what is still being painted after the last change. */
const settleMs = 1_500

const noteKey = (number: number): string => `area-${number % 40}/topic-${number % 200}/note-${number}`

const fill = async (wl: Worklore): Promise<void> => {
  await wl.projects.create({ key: 'LOAD', name: 'Load' })
  for (let from = 0; from < records; from += perBatch) {
    const numbers = Array.from({ length: Math.min(perBatch, records - from) }, (_, index) => from + index)
    await wl.batch((batch) =>
      numbers.map((number) =>
        batch.tasks.create({
          projectId: 'LOAD',
          title: `Task ${number}: make the ${number % 7} things faster that ${number % 13} people asked for`,
          status: taskStatuses[number % 4]!,
          priority: taskPriorities[number % 3]!,
          labels: [`label-${number % 9}`],
          ...(number % 10 > 0 && { parentId: `LOAD-${number - (number % 10) + (number % 10 > 5 ? 2 : 1)}` }),
        }),
      ),
    )
    await wl.batch((batch) =>
      numbers.map((number) => batch.knowledge.put(noteKey(number), { content: `Note ${number}` })),
    )
  }
}

/** Notes the tasks of the main thread of more than 50 ms, from before the page's own scripts. */
const watchLongTasks = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    const seen: number[] = []
    Object.assign(window, { longTasks: seen })
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) seen.push(duration)
    }).observe({ type: 'longtask', buffered: true })
  })

/** The longest task since the last look; 0 where none took more than 50 ms. */
const longestTask = async (page: Page): Promise<number> => {
  await page.waitForTimeout(settleMs)
  return page.evaluate(() => {
    const { longTasks } = window as unknown as { longTasks: number[] }
    return Math.round(Math.max(0, ...longTasks.splice(0)))
  })
}

const heapMb = async (page: Page): Promise<number> => {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = (await session.send('Runtime.getHeapUsage')) as { usedSize: number }
  await session.detach()
  return Math.round(usedSize / 1e6)
}

/** When the frame after the first such element was painted, from the start of the navigation. */
const firstPaintedMs = async (page: Page, url: string, selector: string): Promise<number> => {
  await page.goto(url, { waitUntil: 'commit' })
  const paintedMs = await page.evaluate(
    (wanted) =>
      new Promise<number>((resolve) => {
        const look = (): void => {
          if (!document.querySelector(wanted)) requestAnimationFrame(look)
          else requestAnimationFrame(() => setTimeout(() => resolve(performance.now())))
        }
        look()
      }),
    selector,
  )
  return Math.round(paintedMs)
}

const scroll = (page: Page, selector: string, stepPx = 400): Promise<void> =>
  page.evaluate(
    async ([wanted, px, frames]) => {
      const element = document.querySelector(wanted)!
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
      for (let step = 0; step < frames; step++) {
        element.scrollTop += px
        await frame()
      }
      element.scrollTop = 0
      // What is at the top is rendered in the first frame and there in the second.
      await frame()
      await frame()
    },
    [selector, stepPx, scrollFrames] as const,
  )

/** CPU time of the main thread for each frame while scrolling: scripts, styles, layout and painting. */
const frameMs = async (page: Page, selector: string): Promise<number> => {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const busyMs = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'TaskDuration')!.value * 1_000
  }
  const before = await busyMs()
  await scroll(page, selector, scrollStepPx)
  const used = (await busyMs()) - before
  await session.detach()
  return Math.round((used / scrollFrames) * 10) / 10
}

/** When the page shows the text, by the clock that the service's answers are timed with. */
const shownAtMs = (page: Page, text: string): Promise<number> =>
  page.evaluate(
    (wanted) =>
      new Promise<number>((resolve) => {
        const look = (): void => {
          const titles = [...document.querySelectorAll('.card-title')]
          if (titles.some((title) => title.textContent === wanted)) resolve(Date.now())
          else requestAnimationFrame(look)
        }
        look()
      }),
    text,
  )

const quantile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))]!
const median = (values: readonly number[]): number => quantile(values, 0.5)

/** How long after the answer to an agent's change it is on the screen: the 95th percentile. */
const liveDelayMs = async (page: Page, wl: Worklore, round: number): Promise<number> => {
  const id = await page.locator('[data-card]').first().getAttribute('data-card')
  const delays: number[] = []
  for (let number = 1; number <= timedChanges; number++) {
    const title = `Change ${number} of round ${round}`
    const shown = shownAtMs(page, title)
    await wl.tasks.update(id!, { title })
    const answeredMs = Date.now()
    delays.push(Math.max(0, (await shown) - answeredMs))
  }
  return quantile(delays, 0.95)
}

type Unit = 'ms' | 'MB'
type Measure = [what: string, value: number, unit: Unit, budget: number]

const measure = async (browser: Browser, service: TrialService, wl: Worklore, round: number): Promise<Measure[]> => {
  const page = await openSignedIn(browser, service, { viewport: { width: 1440, height: 900 } })
  await watchLongTasks(page)
  const measures: Measure[] = []
  const firstPaint = async (what: string, path: string, selector: string): Promise<void> => {
    const ms = await firstPaintedMs(page, `${service.baseUrl}/console/${path}`, selector)
    measures.push([what, ms, 'ms', budgets.firstPaintMs])
  }
  const noLongTask = async (what: string): Promise<void> => {
    measures.push([`${what}: longest task`, await longestTask(page), 'ms', budgets.longestTaskMs])
  }
  const heap = async (what: string): Promise<void> => {
    measures.push([`${what}: JavaScript heap`, await heapMb(page), 'MB', budgets.heapMb])
  }

  const cpu = async (what: string, selector: string): Promise<void> => {
    measures.push([`${what}: CPU per frame while scrolling`, await frameMs(page, selector), 'ms', budgets.frameMs])
  }

  await firstPaint('board: first cards painted, first visit', 'p/LOAD/board', '.card')
  await firstPaint('board: first cards painted, again', 'p/LOAD/board', '.card')
  await page.locator('.board[data-partial=false]').waitFor()
  await noLongTask('board, loading')
  await scroll(page, '.column-scroll')
  await noLongTask('board, scrolling')
  await cpu('board', '.column-scroll')
  measures.push(['board: a change on the screen, p95', await liveDelayMs(page, wl, round), 'ms', budgets.liveMs])
  const changes = Array.from({ length: liveChanges }, (_, index) =>
    wl.tasks.update(`LOAD-${1 + index * 7 + round}`, {
      priority: 'urgent',
      title: `Changed ${index}`,
      ...(index % 3 === 0 && { status: taskStatuses[(index + round) % 4]! }),
    }),
  )
  await Promise.all(changes)
  await noLongTask(`board, ${liveChanges} live changes`)
  await page.getByLabel('Filter by title or id').pressSequentially('task 12')
  await noLongTask('board, filtering')
  await heap('board')
  for (const view of ['list', 'tree']) {
    await page.goto(`${service.baseUrl}/console/p/LOAD/${view}`)
    await page.waitForFunction(
      (wanted) => Number(document.querySelector('.task-row')?.parentElement?.ariaSetSize ?? 0) >= wanted,
      records,
    )
    await longestTask(page)
    await cpu(`${view} of tasks`, '.virtual-rows')
  }

  await firstPaint('tree: first notes painted, first visit', 'k', '.tree-row')
  await firstPaint('tree: first notes painted, again', 'k', '.tree-row')
  await page.waitForFunction(
    (wanted) =>
      [...document.querySelectorAll('.tree-row.scope .tree-count')].some(
        (each) => Number(each.textContent?.replaceAll(',', '')) >= wanted,
      ),
    records,
  )
  await noLongTask('tree, loading')
  const notes = Array.from({ length: liveChanges }, (_, index) =>
    wl.knowledge.put(index % 2 ? noteKey(index * 7) : `new/note-${index}-${round}`, { content: `Round ${round}` }),
  )
  await Promise.all(notes)
  await noLongTask(`tree, ${liveChanges} live changes`)
  await page.getByLabel('Filter by key').pressSequentially('note')
  await noLongTask('tree, filtering with all folders open')
  await scroll(page, '.knowledge-tree')
  await noLongTask('tree, scrolling with all folders open')
  await heap('tree')
  await page.context().close()
  return measures
}

const service = await startTrialService()
const browser = await launchBrowser()
try {
  const wl = new Worklore({ baseUrl: service.baseUrl, apiKey: service.adminKey, timeoutMs: 120_000 })
  await fill(wl)
  const measured: Measure[][] = []
  for (let round = 1; round <= rounds; round++) measured.push(await measure(browser, service, wl, round))
  console.log(`${records} tasks on a board, ${records} notes in the tree; the median of ${rounds} rounds (and each)`)
  measured[0]!.forEach(([what, , unit, budget], index) => {
    const each = measured.map((measures) => measures[index]![1])
    const value = median(each)
    if (value > budget) process.exitCode = 1
    const verdict = value <= budget ? 'ok  ' : 'OVER'
    console.log(
      `${verdict} ${what.padEnd(54)} ${String(value).padStart(5)} ${unit} (${each.join(', ')}; budget ${budget})`,
    )
  })
} finally {
  await browser.close()
  await service.stop()
}
