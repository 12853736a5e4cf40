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
  /** Between one disturbance and the next. */
  disturbEveryMs: number
  /** After so many of them the agents are left alone. */
  disturbances: number
}

export const raceProject = 'RACE'
/** The shortest there is, so that stalls outlast it soon. */
export const leaseSeconds = 10
/** How long a process of agents is stopped: longer than its leases. */
export const stallMs = 12_000

/** What a process of agents is told. */
export interface AgentsOrder {
  name: string
  urls: string[]
  apiKey: string
  door: RaceSettings['door']
  agents: number
  workMs: number
  journal: string
  seed: number
}
