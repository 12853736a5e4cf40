import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Worklore, type WorkloreOptions } from 'worklore-client'
import { createProject } from 'worklore-testing/factories'
import type { TestTenant } from 'worklore-testing/harness'
import { createBridge } from '../src/bridge.js'
import { createGitHub } from '../src/github/client.js'
import type { SyncSettings } from '../src/sync/context.js'
import { positionKey } from '../src/sync/position-item.js'
import type { OnHeld } from '../src/sync/position-store.js'
import type { Action, Refusal } from '../src/sync/report.js'
import { createWatch } from '../src/watch.js'
import { type GitHubStub, type StubOptions, startGitHubStub, stubToken } from './stub/github.js'

/** A repository and a project, and a bridge between them that can be killed. */
export interface Bridged {
  stub: GitHubStub
  wl: Worklore
  project: { id: string; key: string }
  actions: Action[]
  refusals: Refusal[]
  /** How many requests the last run sent to each side, how many of them wrote, and how many wrote the position. */
  sent: { github: number; worklore: number; writes: number; positions: number }
  /** How many records the last run left for the next one. */
  outstanding(): number
  /** Runs the bridge once, as a process of its own would. */
  run(settings?: RunSettings): Promise<void>
}

interface RunSettings extends Partial<SyncSettings> {
  isFull?: boolean
  people?: ReadonlyMap<string, string>
  formerName?: string
  /** The repository as it is asked for, where that is not its name. */
  asked?: string
  /** Another project than that of the repository. */
  project?: string
  /** Another key than that of the admin. */
  apiKey?: string
  /** The process ends at this request: before it is sent, or before its answer is read. */
  killAt?: number
  isAnswerLost?: boolean
  leaseMs?: number
  onHeld?: OnHeld
  /** Follows both sides until the signal, instead of once. */
  watch?: {
    signal: AbortSignal
    intervalMs?: number
    note(line: string): void
    onStart?(watch: ReturnType<typeof createWatch>): void
  }
}

/** Attempts after a failure do not wait as long as in production. */
const maxPauseMs = 20

class Killed extends Error {
  override readonly name = 'AbortError'
}

type Fetch = typeof globalThis.fetch

const isPosition = (input: Parameters<Fetch>[0]): boolean => String(input).includes('/v1/knowledge/')

export const bridgedFor = async (
  test: TestContext,
  tenant: TestTenant,
  key: string,
  stubOptions: StubOptions = {},
): Promise<Bridged> => {
  const stub = await startGitHubStub({ repo: `acme/${key.toLowerCase()}`, ...stubOptions })
  test.after(stub.stop)
  const project = await createProject(tenant, { key })
  const wl = new Worklore({ baseUrl: tenant.baseUrl, apiKey: tenant.adminKey })
  const actions: Action[] = []
  const refusals: Refusal[] = []
  const sent = { github: 0, worklore: 0, writes: 0, positions: 0 }
  let outstanding = 0

  /** As when a killed run's lease has expired. */
  const expireLease = async (): Promise<void> => {
    const item = await wl.knowledge.get(positionKey(stub.repo), { projectId: project.id }).catch(() => undefined)
    if (!item) return
    const { lease, ...position } = JSON.parse(item.content)
    const expired = { ...lease, until: new Date(Date.now() - 1).toISOString() }
    const content = JSON.stringify({ ...position, ...(lease && { lease: expired }) })
    await wl.knowledge.put(item.key, { content, projectId: project.id }, { ifMatch: item })
  }

  const run: Bridged['run'] = async ({
    isFull = false,
    people = new Map(),
    formerName,
    asked,
    project: projectAsked = key,
    apiKey = tenant.adminKey,
    killAt,
    isAnswerLost,
    watch,
    ...settings
  } = {}) => {
    Object.assign(sent, { github: 0, worklore: 0, writes: 0, positions: 0 })
    let count = 0
    const counted =
      (side: 'github' | 'worklore'): Fetch =>
      async (input, init) => {
        count++
        if (killAt !== undefined && (count > killAt || (count === killAt && !isAnswerLost))) throw new Killed()
        sent[side]++
        if (init?.method && init.method !== 'GET') sent[isPosition(input) ? 'positions' : 'writes']++
        const answer = await fetch(input, init)
        if (count === killAt) {
          await answer.arrayBuffer()
          throw new Killed()
        }
        return answer
      }
    let isChanged = false
    const report = {
      did: (action: Action) => {
        isChanged = true
        actions.push(action)
      },
      refused: (refusal: Refusal) => void refusals.push(refusal),
      progress: () => {},
      takeChanged: () => {
        const was = isChanged
        isChanged = false
        return was
      },
    }
    const [owner, repo] = (asked ?? stub.repo).split('/') as [string, string]
    const github = createGitHub({
      ...{ owner, repo, token: stubToken, baseUrl: stub.baseUrl, userAgent: 'test', writeSpacingMs: 0 },
      onWait: () => {},
      sleep: (ms) => pause(Math.min(ms, maxPauseMs)),
      fetch: counted('github'),
    })
    const worklore: WorkloreOptions = {
      ...{ baseUrl: tenant.baseUrl, apiKey, fetch: counted('worklore') },
      ...(killAt !== undefined && { maxRetries: 0 }),
    }
    const usual = { direction: 'both' as const, labels: [], onMerge: undefined, withDeletions: false, isDryRun: false }
    try {
      const named = { repo: asked ?? stub.repo, formerName }
      const options = { ...usual, settleMs: 0, leaseMs: 120_000, ...settings }
      const bridge = await createBridge({
        worklore,
        github,
        project: projectAsked,
        people,
        report,
        ...named,
        ...options,
      })
      if (watch) {
        const timing = { intervalMs: 3_600_000, retryMs: 50 }
        const watching = createWatch({ wl, bridge, ...timing, ...watch, onIdle: () => {} })
        watch.onStart?.(watching)
        await watching.run(isFull)
      } else await bridge.settle({ isFull })
      outstanding = bridge.outstanding()
    } catch (error) {
      if (killAt === undefined || count < killAt) throw error
    }
    // A run that is killed at its last request, the release, has failed at nothing else.
    if (killAt !== undefined && count >= killAt) await expireLease()
    stub.check()
  }
  return { stub, wl, project, actions, refusals, sent, run, outstanding: () => outstanding }
}
