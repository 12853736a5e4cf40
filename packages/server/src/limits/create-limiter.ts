import { type Clock, systemClock } from '../base/clock.js'
import type { Db } from '../db/port.js'
import type { Limiter } from './limiter.js'
import { createLocalLimiter } from './local-limiter.js'
import { createSharedLimiter } from './shared-limiter.js'
import { createSteadyClock } from './steady-clock.js'

interface LimiterSettings {
  /** Another than the system's is also the one by which windows pass: a test makes time pass with it. */
  clock?: Clock
}

/** Exact counts need one keeper: this process where it is alone, and the store where several share it. */
export const createLimiter = (db: Db, settings: LimiterSettings = {}): Limiter => {
  const { clock = systemClock } = settings
  const steady = clock === systemClock ? createSteadyClock() : clock
  if (db.dialect.isShared) return createSharedLimiter(db, { wall: clock, steady })
  return createLocalLimiter(db, { wall: clock, steady })
}
