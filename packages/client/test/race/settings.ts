/** How a race is run: agents in several processes on the nodes of one store, some of which are disturbed. */
export interface RaceSettings {
  /** What the agents take their work by. */
  door: 'http' | 'mcp'
  nodes: number
  /** Of agents. */
  processes: number
  agentsPerProcess: number
  tasks: number
  /** Whether tasks reserve resources, some of which overlap. */
  hasResources: boolean
  /** The longest time that a piece of work takes. */
  workMs: number
  /** Of claims by HTTP. The shortest there is lets stalls outlast it soon; on a slow machine changes wait longer than that. */
  leaseSeconds: number
  /** Between one disturbance and the next. */
  disturbEveryMs: number
  /** After so many of them the agents are left alone. */
  disturbances: number
}

export const raceProject = 'RACE'
export const minLeaseSeconds = 10
/** How much longer than its leases a process of agents is stopped. */
export const stallBeyondLeaseMs = 2_000

/** What a process of agents is told. */
export interface AgentsOrder {
  name: string
  urls: string[]
  apiKey: string
  door: RaceSettings['door']
  agents: number
  workMs: number
  leaseSeconds: number
  journal: string
  seed: number
}
