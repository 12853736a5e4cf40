import { engines } from 'worklore-testing/engines'
import { createProject } from 'worklore-testing/factories'
import { startService } from 'worklore-testing/harness'
import { createBridge } from '../src/bridge.js'
import { createGitHub } from '../src/github/client.js'
import { startGitHubStub, stubToken } from './stub/github.js'

/** How long a first import takes, and how many requests a run with nothing new: `bench.js [issues] [comments]`. */
const [issues = 5_000, comments = 20_000] = process.argv.slice(2).map(Number)

const service = await startService(engines[0]!)
const stub = await startGitHubStub()
await createProject(service, { key: 'ACME' })

const startMs = Math.floor(Date.now() / 1_000) * 1_000 - (issues + comments) * 1_000
const words = 'The page is blank after the login when the session was started in another tab. '
for (let at = 0; at < issues; at++) {
  const atMs = startMs + at * 1_000
  const state = at % 3 === 0 ? ('open' as const) : ('closed' as const)
  const times = { createdAtMs: atMs, updatedAtMs: atMs }
  stub.create({ title: `Issue ${at}`, body: words.repeat(8), labels: ['bug'], state, ...times })
}
for (let at = 0; at < comments; at++)
  stub.comment((at % issues) + 1, words.repeat(4), 'octocat', startMs + (issues + at) * 1_000)

const run = async (name: string): Promise<void> => {
  const sent = { github: 0, worklore: 0 }
  const counted =
    (side: keyof typeof sent): typeof fetch =>
    (input, init) => {
      sent[side]++
      return fetch(input, init)
    }
  const worklore = { baseUrl: service.baseUrl, apiKey: service.adminKey, fetch: counted('worklore') }
  const github = createGitHub({
    ...{ owner: 'acme', repo: 'site', token: stubToken, baseUrl: stub.baseUrl, userAgent: 'bench' },
    ...{ writeSpacingMs: 1_000, onWait: () => {}, fetch: counted('github') },
  })
  let isChanged = false
  let actions = 0
  const report = {
    did: () => {
      isChanged = true
      actions++
    },
    refused: console.error,
    progress: () => {},
    takeChanged: () => {
      const was = isChanged
      isChanged = false
      return was
    },
  }
  const startedAtMs = performance.now()
  const settings = { direction: 'both' as const, labels: [], onMerge: undefined, withDeletions: false, isDryRun: false }
  const bridge = await createBridge({
    ...{ worklore, github, project: 'ACME', people: new Map(), report, settleMs: 15_000, leaseMs: 120_000 },
    ...{ repo: 'acme/site', formerName: undefined },
    ...settings,
  })
  await bridge.settle()
  const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(1)
  console.log(`${name}: ${seconds} s, ${actions} actions, requests: GitHub ${sent.github}, Worklore ${sent.worklore}`)
}

await run(`first import of ${issues} issues with ${comments} comments`)
await run('nothing new')
stub.edit(1, { title: 'Renamed' })
await run('one issue renamed')
await stub.stop()
await service.stop()
