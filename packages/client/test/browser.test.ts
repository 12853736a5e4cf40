import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { browserEnvironment, browserFlags, findTestBrowser, skipWithoutBrowser } from 'worklore-testing/find-browser'
import { onEveryEngine } from './on-every-engine.js'

const browser = findTestBrowser()

const dist = new URL('..', import.meta.url)
let report: ((text: string) => void) | undefined

const page = `<!doctype html><script type="module">
  import { Worklore, NotFoundError, verifyWebhook } from '/client.js'
  const said = {}
  try {
    const wl = new Worklore({ baseUrl: location.origin, apiKey: new URLSearchParams(location.hash.slice(1)).get('key') })
    await wl.projects.create({ key: 'WEB', name: 'From a browser' })
    const events = wl.events.stream({ after: 0, types: 'project.*' })
    await wl.tasks.create({ projectId: 'WEB', title: 'Grüße 🙂' })
    await wl.knowledge.put('a b/ü?#%', { content: 'odd' })
    said.content = (await wl.knowledge.get('a b/ü?#%')).content
    said.titles = []
    for await (const task of wl.tasks.list()) said.titles.push(task.title)
    said.first = (await events.next()).value.type
    await events.return()
    said.error = await wl.tasks.get('WEB-9').catch((error) => error instanceof NotFoundError && error.name)
    said.webhook = await verifyWebhook('{}', {}, 'whsec_AA==').catch((error) => error.name)
    said.remaining = wl.limits.remaining > 0
  } catch (error) {
    said.failure = String(error.stack)
  }
  await fetch('/report', { method: 'POST', body: JSON.stringify(said) })
</script>`

onEveryEngine(
  'the bundle in a browser',
  (stage) => {
    it('works', { skip: skipWithoutBrowser(browser) }, async () => {
      execFileSync(process.execPath, [fileURLToPath(new URL('tools/bundle.js', dist))])
      const said = new Promise<string>((resolve) => {
        report = resolve
      })
      const profile = mkdtempSync(join(tmpdir(), 'worklore-browser-'))
      const flags = ['--headless', ...browserFlags, `--user-data-dir=${profile}`]
      const running = spawn(browser!, [...flags, `${stage.proxy.url}/page#key=${stage.service.adminKey}`], {
        stdio: 'ignore',
        detached: true,
        env: { ...process.env, ...browserEnvironment(browser), TMPDIR: profile },
      })
      const ended = new Promise((done) => running.once('exit', done))
      try {
        assert.deepEqual(JSON.parse(await said), {
          content: 'odd',
          titles: ['Grüße 🙂'],
          first: 'project.created',
          error: 'NotFoundError',
          webhook: 'WebhookVerificationError',
          remaining: true,
        })
      } finally {
        // With all its children, of which one may write to the folder after the browser has ended.
        process.kill(-running.pid!, 'SIGKILL')
        await ended
        rmSync(profile, { recursive: true, force: true, maxRetries: 30, retryDelay: 100 })
      }
    })
  },
  {
    pages: {
      '/page': () => ({ type: 'text/html; charset=utf-8', body: page }),
      '/client.js': () => ({
        type: 'text/javascript; charset=utf-8',
        body: readFileSync(new URL('worklore-client.min.js', dist)),
      }),
      '/report': ({ body }) => {
        report?.(body.toString())
        return { type: 'text/plain', body: '' }
      },
    },
  },
)
