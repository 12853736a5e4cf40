import { randomFrom } from 'worklore-testing/random'
import { Worklore } from '../../src/index.js'
import { runAgent } from './agent.js'
import { createHttpDoor } from './http-door.js'
import { openJournal } from './journal.js'
import { createMcpDoor } from './mcp-door.js'
import type { AgentsOrder } from './settings.js'

/** Runs several agents in one process, each attempt of a call on another node than the one before. */
const {
  name,
  urls,
  apiKey,
  door: doorName,
  agents,
  workMs,
  leaseSeconds,
  journal,
  seed,
} = JSON.parse(process.argv[2]!) as AgentsOrder

const write = openJournal(journal)

/** The first task that these agents hand in goes back, so that a race has one that does. */
let hasHandedBack = false
const mustHandBack = (): boolean => {
  const isFirst = !hasHandedBack
  hasHandedBack = true
  return isFirst
}

const start = async (index: number): Promise<void> => {
  let turn = index
  const wl = new Worklore({
    baseUrl: urls[0]!,
    apiKey,
    maxRetries: 100,
    maxWaitMs: 2_000,
    timeoutMs: 10_000,
    fetch: (url, init) => fetch(String(url).replace(urls[0]!, urls[turn++ % urls.length]!), init),
  })
  const random = randomFrom(seed * 1_000 + index)
  const agent = `${name}-${index}`
  const door = doorName === 'mcp' ? await createMcpDoor(urls, apiKey, index) : createHttpDoor(wl, agent, leaseSeconds)
  return runAgent({ wl, door, name: agent, workMs, random, mustHandBack, journal: write })
}

await Promise.all(Array.from({ length: agents }, (_, index) => start(index)))
