import { taskRecord } from '../fields.js'
import type { TaskVersion } from '../schema.js'

/** Parses a kept version of a task, and sets initial values for fields that it lacks. */
export const parseVersion = (json: string): TaskVersion => ({
  ...taskRecord.initial,
  ...(JSON.parse(json) as TaskVersion),
})

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
