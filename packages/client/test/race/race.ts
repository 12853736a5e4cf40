import { type ChildProcess, fork } from 'node:child_process'
import { existsSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { StoreSettings } from 'worklore-testing/engines'
import { testAdminKey } from 'worklore-testing/harness'
import { randomFrom } from 'worklore-testing/random'
import { until } from 'worklore-testing/until'
import { type ChangeEvent, Worklore } from '../../src/index.js'
import { checkRace, type RaceFigures } from './check.js'
import { readJournal } from './journal.js'
import { type Nodes, startNodes } from './nodes.js'
import { createPlan } from './plan.js'
import { type AgentsOrder, type RaceSettings, raceProject, stallBeyondLeaseMs } from './settings.js'

interface RaceResult extends RaceFigures {
  nodeKills: number
  agentKills: number
  stalls: number
  seconds: number
}

const program = fileURLToPath(new URL('agents-process.js', import.meta.url))

/** The stall comes first: what the stopped agents hold keeps the race going until the others had their turn. */
const disturbanceKinds = ['stall', 'node', 'agents', 'node'] as const

interface Agents {
  name: string
  child: ChildProcess
  ended: Promise<number | null>
}

const startAgents = (order: AgentsOrder): Agents => {
  const child = fork(program, [JSON.stringify(order)], { stdio: 'inherit' })
  return { name: order.name, child, ended: new Promise((resolve) => child.once('exit', resolve)) }
}

/** Lets agents race for the tasks of a plan while nodes and agents are killed and stopped, and checks what came of it. */
export const runRace = async (
  store: StoreSettings,
  settings: RaceSettings,
  report: (line: string) => void = () => {},
): Promise<RaceResult> => {
  const nodes: Nodes = await startNodes(store, settings.nodes)
  const counts = { nodeKills: 0, agentKills: 0, stalls: 0 }
  const running = new Map<number, Agents>()
  const journalFolder = mkdtempSync(join(store.dataDir, 'journals-'))
  const journals: string[] = []
  const keys: string[] = []

  const begin = (place: number): void => {
    const journal = join(journalFolder, `${journals.length}.jsonl`)
    journals.push(journal)
    const agents = startAgents({
      name: `process-${journals.length}`,
      urls: nodes.urls,
      apiKey: keys[place]!,
      door: settings.door,
      agents: settings.agentsPerProcess,
      workMs: settings.workMs,
      leaseSeconds: settings.leaseSeconds,
      journal,
      seed: journals.length,
    })
    running.set(place, agents)
    agents.ended.then((code) => {
      if (running.get(place) === agents && code === 0) running.delete(place)
    })
  }

  const wl = new Worklore({ baseUrl: nodes.urls[0]!, apiKey: testAdminKey, maxRetries: 20 })
  const claimsOf = async ({ name }: Agents): Promise<number> =>
    (await wl.tasks.list({ projectId: raceProject, claimed: true, limit: 100 })).data.filter(({ claim }) =>
      claim?.worker?.startsWith(`${name}-`),
    ).length
  const expiredCount = async (): Promise<number> =>
    (await wl.events.list({ after: 0, types: ['task.claim_expired'], limit: 500 })).data.length

  /** Stops agents while they hold claims, until some of those have expired. */
  const stall = async (agents: Agents): Promise<void> => {
    const { child } = agents
    const holds = async (): Promise<boolean> => {
      child.kill('SIGSTOP')
      if ((await claimsOf(agents)) > 0) return true
      child.kill('SIGCONT')
      return child.exitCode !== null
    }
    await until(holds, (is) => is)
    counts.stalls++
    const before = await expiredCount()
    const resume = async (): Promise<void> => {
      await pause(settings.leaseSeconds * 1_000 + stallBeyondLeaseMs)
      await until(expiredCount, (count) => count > before)
    }
    void resume()
      .catch(() => {})
      .finally(() => child.kill('SIGCONT'))
  }

  const disturb = async (turn: number): Promise<void> => {
    const place = [...running.keys()][turn % running.size]!
    const agents = running.get(place)!
    const { child, ended } = agents
    const kind = disturbanceKinds[turn % disturbanceKinds.length]
    if (kind === 'node') {
      await nodes.restart(Math.floor(turn / 2) % settings.nodes)
      counts.nodeKills++
    } else if (kind === 'stall') await stall(agents)
    else {
      child.kill('SIGKILL')
      counts.agentKills++
      await ended
      begin(place)
    }
  }

  const startedAtMs = performance.now()
  try {
    await createPlan(wl, settings.tasks, settings.hasResources, randomFrom(settings.tasks))
    for (let place = 0; place < settings.processes; place++) {
      const scopes: ('tasks:write' | 'knowledge:write')[] = ['tasks:write', 'knowledge:write']
      keys.push((await wl.keys.create({ name: `agents-${place}`, scopes })).key!)
      begin(place)
    }
    for (let turn = 0; turn < settings.disturbances; turn++) {
      await pause(settings.disturbEveryMs)
      if (running.size === 0) break
      await disturb(turn)
      const { data, pagination } = await wl.tasks.list({
        projectId: raceProject,
        status: 'done',
        total: 'exact',
        limit: 1,
      })
      report(`${pagination.total ?? data.length} of ${settings.tasks} done, ${JSON.stringify(counts)}`)
    }
    const codes = await Promise.all([...running.values()].map(({ ended }) => ended))
    if (codes.some((code) => code !== 0)) throw new Error(`the agents ended with ${codes.join(', ')}`)
    const seconds = Math.round((performance.now() - startedAtMs) / 1_000)

    const events: ChangeEvent[] = []
    for await (const event of wl.events.list({ after: 0, limit: 100 })) events.push(event)
    const entries = journals.filter((file) => existsSync(file)).flatMap(readJournal)
    return { ...checkRace(events, entries), ...counts, seconds }
  } finally {
    for (const { child } of running.values()) child.kill('SIGKILL')
    await nodes.stop()
  }
}
