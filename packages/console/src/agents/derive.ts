import type { ApiKey, UsageRow, User, WorkerUsage } from 'worklore-client'
import { type Activity, ratesOf } from '../store/activity'
import type { TaskCard } from '../store/cards/task-card'
import { isLive, silentAfterMs } from '../tasks/claim-mark'

/** Keys that did nothing for so long are not shown as agents. */
const forgottenAfterMs = 24 * 3_600_000

export type AgentState = 'working' | 'waiting' | 'silent' | 'paused' | 'idle'

/** A process of an agent, by the name that its claims have. */
export interface AgentWorker {
  name: string
  state: AgentState
  claims: TaskCard[]
  lastAtMs: number | null
  usage: WorkerUsage | undefined
}

export interface Agent {
  keyId: string
  /** Of the key; a person's own. */
  name: string
  userName: string | null
  isAgent: boolean
  state: AgentState
  claims: TaskCard[]
  /** The last change or renewal; null where none is known. */
  lastAtMs: number | null
  workers: AgentWorker[]
  /** Changes in each of the last 30 minutes, oldest first. */
  rates: readonly number[]
  usage: UsageRow | undefined
}

interface Known {
  cards: Iterable<TaskCard>
  activity: readonly Activity[]
  keys: readonly ApiKey[]
  usage: readonly UsageRow[]
  userOf: (id: string) => User | undefined
  nowMs: number
}

const order: Record<AgentState, number> = { silent: 0, working: 1, waiting: 2, paused: 3, idle: 4 }

const stateOf = (
  claims: readonly TaskCard[],
  lastAtMs: number | null,
  waitsUntil: string | null | undefined,
  nowMs: number,
): AgentState => {
  if (claims.length > 0) return nowMs - (lastAtMs ?? 0) < silentAfterMs ? 'working' : 'silent'
  return waitsUntil && Date.parse(waitsUntil) > nowMs ? 'waiting' : 'idle'
}

const lastRenewalMs = (claims: readonly TaskCard[]): number | null =>
  claims.length === 0 ? null : Math.max(...claims.map(({ claim }) => Date.parse(claim!.renewedAt)))

const latest = (atMs: number | null, at: string | null | undefined): number | null =>
  at ? Math.max(atMs ?? 0, Date.parse(at)) : atMs

const byUrgency = <T extends { state: AgentState; claims: readonly unknown[]; name: string }>(a: T, b: T): number =>
  order[a.state] - order[b.state] ||
  b.claims.length - a.claims.length ||
  a.name.localeCompare(b.name, 'en', { numeric: true })

const workersOf = ({ claims, usage }: Agent, nowMs: number): AgentWorker[] => {
  const names = new Set<string>()
  for (const { claim } of claims) if (claim?.worker) names.add(claim.worker)
  for (const { worker } of usage?.workers ?? []) if (worker) names.add(worker)
  return [...names]
    .map((name): AgentWorker => {
      const held = claims.filter(({ claim }) => claim?.worker === name)
      const known = usage?.workers.find(({ worker }) => worker === name)
      const renewedMs = lastRenewalMs(held)
      const state = stateOf(held, renewedMs, known?.waitsUntil, nowMs)
      return { name, state, claims: held, lastAtMs: latest(renewedMs, known?.lastSeenAt), usage: known }
    })
    .sort(byUrgency)
}

const inUse: readonly AgentState[] = ['working', 'silent', 'waiting']

/** Of what it holds and waits for without a name of a worker, and of its workers. */
const keyStateOf = ({ claims, lastAtMs, usage, workers }: Agent, nowMs: number): AgentState => {
  const unnamed = claims.filter(({ claim }) => !claim?.worker)
  const states = [stateOf(unnamed, lastAtMs, usage?.waitsUntil, nowMs), ...workers.map(({ state }) => state)]
  return inUse.find((state) => states.includes(state)) ?? 'idle'
}

/** A state is never stored: it follows from the last sign of life. */
export const deriveAgents = ({ cards, activity, keys, usage, userOf, nowMs }: Known): Agent[] => {
  const agents = new Map<string, Agent>()
  const usageOf = new Map(usage.map((row) => [row.keyId, row]))
  const nameOf = new Map(keys.map(({ id, name }) => [id, name]))
  const adminKeys = new Set(keys.filter(({ scopes }) => scopes.includes('admin')).map(({ id }) => id))
  const actsAsAgent = (keyId: string): boolean => keyId.startsWith('key_') && !adminKeys.has(keyId)
  const agentOf = (keyId: string, name: string, userId: string | null): Agent => {
    let agent = agents.get(keyId)
    if (!agent) {
      const user = userId ? userOf(userId) : undefined
      agent = {
        keyId,
        name: user?.kind === 'human' ? user.name : (nameOf.get(keyId) ?? name),
        userName: user?.name ?? null,
        isAgent: user ? user.kind === 'agent' : actsAsAgent(keyId),
        state: 'idle',
        claims: [],
        lastAtMs: null,
        workers: [],
        rates: [],
        usage: usageOf.get(keyId),
      }
      agents.set(keyId, agent)
    }
    return agent
  }
  const seen = (agent: Agent, atMs: number): void => {
    agent.lastAtMs = Math.max(agent.lastAtMs ?? 0, atMs)
  }

  for (const { keyId, keyName, userId, atMs } of activity) {
    if (keyId !== 'service') seen(agentOf(keyId, keyName, userId), atMs)
  }
  for (const card of cards) {
    if (!isLive(card.claim, nowMs)) continue
    const agent = agentOf(card.claim.keyId, card.claim.keyName, card.claim.userId)
    agent.claims.push(card)
    seen(agent, Date.parse(card.claim.renewedAt))
  }
  for (const key of keys) {
    const user = key.userId ? userOf(key.userId) : undefined
    const lastMs = key.lastUsedAt ? Date.parse(key.lastUsedAt) : 0
    const row = usageOf.get(key.id)
    const works = row && (row.claims.ended > 0 || row.changes > 0 || row.waitsUntil)
    if (agents.has(key.id) || user?.kind === 'agent' || works) {
      const agent = agentOf(key.id, key.name, key.userId)
      if (lastMs > 0 && agent.claims.length === 0) seen(agent, lastMs)
    }
  }
  const list = [...agents.values()].filter(
    (agent) => agent.claims.length > 0 || (agent.isAgent && nowMs - (agent.lastAtMs ?? 0) < forgottenAfterMs),
  )
  const paused = new Set(keys.filter((key) => key.paused).map(({ id }) => id))
  for (const agent of list) {
    agent.workers = workersOf(agent, nowMs)
    agent.rates = agent.usage?.recentChanges ?? ratesOf(activity, nowMs, agent.keyId)
    agent.state = paused.has(agent.keyId) ? 'paused' : keyStateOf(agent, nowMs)
  }
  return list.sort(byUrgency)
}
