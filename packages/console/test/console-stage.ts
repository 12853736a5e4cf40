import assert from 'node:assert/strict'
import { after, afterEach, before, describe } from 'node:test'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { Worklore } from 'worklore-client'
import { cookieOf, trade } from 'worklore-testing/console-session'
import type { Engine } from 'worklore-testing/engines'
import { expectStatus } from 'worklore-testing/expect'
import { browserEnvironment, browserFlags, findTestBrowser, skipWithoutBrowser } from 'worklore-testing/find-browser'
import { type HarnessOptions, startService, type TestTenant } from 'worklore-testing/harness'
import { shareService } from 'worklore-testing/shared-service'

const executablePath = findTestBrowser()
/** However busy the machine is. */
const waitMs = 120_000
/** Longer than any suite takes on a machine that does much else. */
const suiteTimeoutMs = 1_800_000

/** Without movements, which cost the processor a seventh of the time, and for whose end each click waits. */
const usual: BrowserContextOptions = { viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' }

/** A service that a browser uses. */
export interface Served {
  baseUrl: string
  adminKey: string
  stop(): Promise<void>
}

interface ConsoleStage<S extends Served = Served & TestTenant> {
  service: S
  /** With the admin's key, beside the browser. */
  wl: Worklore
  /** A window that is not signed in. */
  window(options?: BrowserContextOptions): Promise<BrowserContext>
  /** A page of a window that is signed in, with the admin's key unless told otherwise. */
  open(path?: string, options?: BrowserContextOptions & { key?: string }): Promise<Page>
  /** Another tab of the same window. */
  tab(page: Page, path?: string): Promise<Page>
  url(path: string): string
  /** Goes to another page without loading the console again. */
  go(page: Page, path: string): Promise<void>
  /** What went wrong in pages since the last look; tests fail on it. */
  problems: string[]
}

/** Errors that a page reports for answers that a test asked for, or that the client repeats while the service is busy. */
const expected = [/Failed to load resource: the server responded with a status of (4\d\d|503)/, /net::ERR_/]

const watch = (page: Page, stage: ConsoleStage<Served>): void => {
  page.setDefaultTimeout(waitMs)
  page.on('console', (message) => {
    const text = message.text()
    if (message.type() !== 'error' || expected.some((pattern) => pattern.test(text))) return
    stage.problems.push(`console: ${text}`)
  })
  // Errors that the browser itself makes have an empty stack.
  page.on('pageerror', (error) => stage.problems.push(`page: ${error.stack || error.message}`))
  page.on('dialog', (dialog) => {
    stage.problems.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url())
    if (origin !== stage.service.baseUrl && protocol !== 'data:' && protocol !== 'blob:') {
      stage.problems.push(`outside request: ${request.url()}`)
    }
  })
}

/**
 * Gives a window what a browser holds of a session: a cookie and, in its storage, the other half. Playwright's
 * `storageState` opens a page for that, which takes as long as the console does to load.
 */
const signIn = async (context: BrowserContext, service: Served, key: string): Promise<void> => {
  const answer = expectStatus(await trade(service, { key }), 201)
  const { hostname } = new URL(service.baseUrl)
  const [name, value] = cookieOf(answer).split('=') as [string, string]
  await context.addCookies([{ name, value, domain: hostname, path: '/', httpOnly: true, sameSite: 'Strict' }])
  // Once a window: what the console takes away stays away.
  await context.addInitScript(
    ([origin, secret]) => {
      // A page begins as an empty one, which has no storage.
      if (location.origin !== origin || localStorage.getItem('test.signed-in')) return
      localStorage.setItem('test.signed-in', 'true')
      localStorage.setItem('worklore.session', secret)
    },
    [service.baseUrl, answer.body.data.secret] as [string, string],
  )
}

/** The browser of this process, which the suites share. */
let browser: Promise<Browser> | undefined
/** The suites that are still to end. */
let suitesWithBrowser = 0

const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: executablePath!,
    args: browserFlags,
    timeout: waitMs,
    env: { ...process.env, ...browserEnvironment(executablePath) } as Record<string, string>,
  })

const leaveBrowser = async (): Promise<void> => {
  if (--suitesWithBrowser > 0) return
  await (await browser)?.close()
  browser = undefined
}

/**
 * The console for a tenant of its own on each engine, in a real browser: with options on a service of its own, else on
 * one that the suites of a process share.
 */
export const describeConsole = (
  subject: string,
  engines: readonly Engine[],
  tests: (stage: ConsoleStage) => void,
  options?: HarnessOptions,
): void => {
  const shares = new Map(options ? [] : engines.map((engine) => [engine, shareService(engine)]))
  const start = async (engine: Engine): Promise<Served & TestTenant> => {
    const share = shares.get(engine)
    return share ? { ...(await share.join()), stop: share.leave } : startService(engine, options)
  }
  describeConsoleOf(subject, engines, start, tests)
}

/** The same with a service that the caller starts. */
export const describeConsoleOf = <S extends Served>(
  subject: string,
  engines: readonly Engine[],
  start: (engine: Engine) => Promise<S>,
  tests: (stage: ConsoleStage<S>) => void,
): void => {
  suitesWithBrowser++
  describe(subject, { skip: skipWithoutBrowser(executablePath) }, () => {
    before(async () => {
      browser ??= launch()
      await browser
    })
    after(leaveBrowser)

    for (const engine of engines) {
      describe(`${subject} on ${engine.name}`, { timeout: suiteTimeoutMs }, () => {
        const stage = { problems: [] as string[] } as ConsoleStage<S>
        const windows = new Set<BrowserContext>()

        before(async () => {
          const service = await start(engine)
          const url = (path: string): string => `${service.baseUrl}/console/${path}`
          const window: ConsoleStage<S>['window'] = async (more = {}) => {
            const context = await (await browser!).newContext({ ...usual, ...more })
            windows.add(context)
            context.on('page', (page) => watch(page, stage))
            return context
          }
          const show = async (context: BrowserContext, path: string): Promise<Page> => {
            const page = await context.newPage()
            await page.goto(url(path))
            await page.locator('.page-head').waitFor()
            return page
          }
          Object.assign(stage, {
            service,
            wl: new Worklore({ baseUrl: service.baseUrl, apiKey: service.adminKey }),
            url,
            window,
            go: async (page, path) => {
              await page.evaluate((url) => {
                if (new URL(url).pathname !== location.pathname) document.title = ''
                history.pushState(null, '', url)
                dispatchEvent(new PopStateEvent('popstate'))
              }, url(path))
              // A page that is shown sets the title.
              await page.waitForFunction(() => document.title !== '')
              await page.locator('.page-head').waitFor()
            },
            open: async (path = '', { key = service.adminKey, ...more } = {}) => {
              const context = await window(more)
              await signIn(context, service, key)
              return show(context, path)
            },
            tab: (page, path = '') => show(page.context(), path),
          } satisfies Partial<ConsoleStage<S>>)
        })

        afterEach(async () => {
          for (const context of windows) await context.close()
          windows.clear()
          assert.deepEqual(stage.problems.splice(0), [])
        })

        after(() => stage.service?.stop())

        tests(stage)
      })
    }
  })
}
