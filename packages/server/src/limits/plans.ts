export interface Plan {
  name: string
  requestsPerMinute: number
  requestsPerDay: number
  taskCreatesPerHour: number
  searchesPerMinute: number
  knowledgeWritesPerHour: number
}

const endpointLimits = { taskCreatesPerHour: 100, searchesPerMinute: 30, knowledgeWritesPerHour: 60 }

export const builtInPlans: readonly Plan[] = [
  { name: 'free', requestsPerMinute: 60, requestsPerDay: 1_000, ...endpointLimits },
  { name: 'pro', requestsPerMinute: 300, requestsPerDay: 50_000, ...endpointLimits },
  {
    name: 'self-hosted',
    requestsPerMinute: 6_000_000,
    requestsPerDay: 5_000_000_000,
    taskCreatesPerHour: 50_000_000,
    searchesPerMinute: 3_000_000,
    knowledgeWritesPerHour: 50_000_000,
  },
]
