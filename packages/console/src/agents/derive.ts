import type { ApiKey, User } from 'worklore-client'
import type { Activity } from '../store/activity'
import type { TaskCard } from '../store/task-card'
import { isLive, silentAfterMs } from '../tasks/claim-mark'

/** Keys that did nothing for so long are not shown as agents. */
const forgottenAfterMs = 24 * 3_600_000

export type AgentState = 'working' | 'silent' | 'idle'

export interface Agent {
  keyId: string
  name: string
  isAgent: boolean
  state: AgentState
  claims: TaskCard[]
  /** The last change or renewal; null where none is known. */
  lastAtMs: number | null
}

interface Known {
  cards: Iterable<TaskCard>
  activity: readonly Activity[]
  keys: readonly ApiKey[]
  userOf: (id: string) => User | undefined
  nowMs: number
}

const order: Record<AgentState, number> = { silent: 0, working: 1, idle: 2 }

/** A claim's state is never stored: it follows from its last sign of life. */
export const deriveAgents = ({ cards, activity, keys, userOf, nowMs }: Known): Agent[] => {
  const agents = new Map<string, Agent>()
  const adminKeys = new Set(keys.filter(({ scopes }) => scopes.includes('admin')).map(({ id }) => id))
  const actsAsAgent = (keyId: string): boolean => keyId.startsWith('key_') && !adminKeys.has(keyId)
  const agentOf = (keyId: string, name: string, userId: string | null): Agent => {
    let agent = agents.get(keyId)
    if (!agent) {
      const user = userId ? userOf(userId) : undefined
      agent = {
        keyId,
        name: user?.name ?? name,
        isAgent: user ? user.kind === 'agent' : actsAsAgent(keyId),
        state: 'idle',
        claims: [],
        lastAtMs: null,
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
    if (agents.has(key.id) || user?.kind === 'agent') {
      const agent = agentOf(key.id, key.name, key.userId)
      if (lastMs > 0 && agent.claims.length === 0) seen(agent, lastMs)
    }
  }
  const list = [...agents.values()].filter(
    (agent) => agent.claims.length > 0 || (agent.isAgent && nowMs - (agent.lastAtMs ?? 0) < forgottenAfterMs),
  )
  for (const agent of list) {
    if (agent.claims.length === 0) continue
    agent.state = nowMs - (agent.lastAtMs ?? 0) < silentAfterMs ? 'working' : 'silent'
  }
  return list.sort(
    (a, b) => order[a.state] - order[b.state] || b.claims.length - a.claims.length || a.name.localeCompare(b.name),
  )
}
