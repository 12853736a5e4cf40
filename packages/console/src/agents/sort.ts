import type { Agent } from './derive'
import { failureShare, finishedPerHour, refusedTotal } from './health'

export const sortNames = {
  state: 'State',
  name: 'Agent',
  holds: 'Holds',
  seen: 'Last seen',
  finished: 'Finished/h',
  median: 'Median',
  failed: 'Failed',
  expired: 'Expired',
  refused: 'Refused',
} as const
export type SortField = keyof typeof sortNames

export interface Sort {
  field: SortField
  isDescending: boolean
}

/** `-refused` is the highest first. Without one, whoever needs a look comes first. */
export const sortOf = (text: string | undefined): Sort => {
  const field = text?.replace(/^-/, '') as SortField | undefined
  if (field === undefined || !(field in sortNames)) return { field: 'state', isDescending: false }
  return { field, isDescending: text!.startsWith('-') }
}

/** A text is sorted from A, a number from the highest first; again, the other way round. */
export const nextSort = ({ field, isDescending }: Sort, wanted: SortField): string | undefined => {
  if (wanted === 'state') return undefined
  const startsDescending = wanted !== 'name'
  const descends = field === wanted ? !isDescending : startsDescending
  return descends ? `-${wanted}` : wanted
}

/** Null comes last, whatever the direction. */
const sortValue = (agent: Agent, field: SortField, periodMs: number, nowMs: number): number | null => {
  const { usage } = agent
  switch (field) {
    case 'holds':
      return agent.claims.length
    case 'seen':
      return agent.lastAtMs
    case 'finished':
      return usage ? finishedPerHour(usage, periodMs, nowMs) : null
    case 'median':
      return usage?.claims.medianSeconds ?? null
    case 'failed':
      return usage ? failureShare(usage) : null
    case 'expired':
      return usage?.claims.expired ?? null
    case 'refused':
      return usage ? refusedTotal(usage) : null
    default:
      return null
  }
}

export const sortAgents = (agents: readonly Agent[], sort: Sort, periodMs: number, nowMs: number): readonly Agent[] => {
  const { field, isDescending } = sort
  if (field === 'state') return agents
  const sign = isDescending ? -1 : 1
  return [...agents].sort((a, b) => {
    if (field === 'name') return sign * a.name.localeCompare(b.name, 'en', { numeric: true })
    const [one, other] = [sortValue(a, field, periodMs, nowMs), sortValue(b, field, periodMs, nowMs)]
    if (one === null || other === null) return Number(one === null) - Number(other === null)
    return sign * (one - other)
  })
}
