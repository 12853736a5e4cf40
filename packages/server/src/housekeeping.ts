import type { Logger } from 'pino'
import type { Core } from './core.js'
import { trimEvents } from './events/trim.js'
import { trimIdempotentRequests } from './idempotency/trim.js'
import { trimDeliveries } from './webhooks/trim.js'

/** Work that goes on beside the requests; what fails is logged and tried again the next time. */
export const startHousekeeping = (core: Core, logger: Logger): { stop(): Promise<void> } => {
  const { db, clock, config, keyUsage, metrics } = core
  const running = new Set<Promise<void>>()

  const every = (intervalMs: number, kind: string, work: () => Promise<void>): NodeJS.Timeout => {
    let isBusy = false
    return setInterval(() => {
      if (isBusy) return
      isBusy = true
      const run = work()
        .catch((error) => {
          metrics.countFailure(kind)
          logger.warn({ err: error }, `${kind} failed and will be tried again`)
        })
        .finally(() => {
          isBusy = false
          running.delete(run)
        })
      running.add(run)
    }, intervalMs).unref()
  }

  const oldestKept = (): number => clock() - config.eventRetentionDays * 86_400_000
  const timers = [
    every(1_000, 'noting key use', () => keyUsage.flush()),
    every(60_000, 'trimming idempotency records', () => trimIdempotentRequests(db, clock())),
    every(60_000, 'trimming events', () => trimEvents(db, oldestKept())),
    every(60_000, 'trimming webhook deliveries', () => trimDeliveries(db, oldestKept())),
  ]
  return {
    stop: async () => {
      for (const timer of timers) clearInterval(timer)
      await Promise.all(running)
      await keyUsage.flush()
    },
  }
}
