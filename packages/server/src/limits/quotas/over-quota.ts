import { AppError } from '../../base/errors.js'
import type { PlanQuota } from '../plans.js'

/** As a person says it. */
export const quotaNames: Readonly<Record<PlanQuota, string>> = {
  storedBytes: 'stored bytes',
  keys: 'keys',
  openStreams: 'open streams',
}

const advice: Readonly<Record<PlanQuota, string>> = {
  storedBytes: 'Delete what is no longer needed and empty the trash',
  keys: 'Revoke keys that are no longer needed',
  openStreams: 'Close a stream, a waiting request or a session',
}

/** The 403 of a change that would go beyond a quota of the plan. */
export const overQuota = (quota: PlanQuota, limit: number, used: number): AppError =>
  new AppError(
    'quota',
    `This exceeds the plan's quota of ${limit} ${quotaNames[quota]}; ${used} are used. ${advice[quota]}, or ask the operator for a larger plan.`,
    {
      quota: quotaNames[quota],
      limit,
      used,
    },
  )
