import type { Category } from '../../../tenancy/projects/statuses.js'
import { initialFields } from '../fields.js'
import type { TaskVersion } from '../schema.js'

/** What a version lacks that is from before a field existed. */
const initial: Partial<TaskVersion> = { ...initialFields, checks: [] }

/** A kept version of a task, with all of its fields. */
export const parseVersion = (json: string): TaskVersion => {
  const kept = JSON.parse(json) as Omit<TaskVersion, 'statusCategory'>
  // Before projects had statuses, each was its own category.
  return { ...initial, statusCategory: kept.status as Category, ...kept }
}

/** What is kept with a version of a task that was claimed when it was replaced. */
export interface ClaimedRest {
  isClaimed: boolean
  /** Of the newest claim until then. */
  claimNumber: number
}

/** What is kept of a move to another project: where the task was, and its place in the order there. */
export interface MovedRest extends ClaimedRest {
  projectId: string
  rank: number
}

/** The number of the claim that held a replaced version; undefined where none did. */
export const claimHolding = (rest: string | null): number | undefined => {
  if (rest === null) return undefined
  const { isClaimed, claimNumber } = JSON.parse(rest) as ClaimedRest
  return isClaimed ? claimNumber : undefined
}
