import type { Logger } from 'pino'
import { trimAudit } from './audit/trim.js'
import { settleDueTasks } from './claims/expiry.js'
import type { Core } from './core.js'
import { finishDeletions } from './deletions/finish.js'
import { trimTickets } from './events/tickets.js'
import { trimEvents } from './events/trim.js'
import { packVersions } from './history/pack.js'
import { trimVersions } from './history/trim.js'
import { trimIdempotentRequests } from './idempotency/trim.js'
import { trimSessions } from './sessions/trim.js'
import { continueRestores } from './trash/continue-restores.js'
import { purgeExpired } from './trash/purge.js'
import { trimDeliveries } from './webhooks/trim.js'

const dayMs = 86_400_000

/** Work that goes on beside the requests; what fails is logged and tried again the next time. */
export const startHousekeeping = (core: Core, logger: Logger): { stop(): Promise<void> } => {
  const { db, clock, config, keyUsage, sessions, refusals, openStreams, metrics } = core
  const running = new Set<Promise<void>>()

  const every = (intervalMs: number, kind: string, work: () => Promise<void>): NodeJS.Timeout => {
    let isBusy = false
    return setInterval(() => {
      if (isBusy) return
      isBusy = true
      const run = work()
        .catch((error) => {
          metrics.countFailure(kind)
          logger.warn({ err: error }, `${kind} failed and will be retried`)
        })
        .finally(() => {
          isBusy = false
          running.delete(run)
        })
      running.add(run)
    }, intervalMs).unref()
  }

  const oldestKept = (): number => clock() - config.eventRetentionDays * dayMs
  const timers = [
    every(1_000, 'recording key usage', () => keyUsage.flush()),
    every(1_000, 'renewing sessions', () => sessions.flush()),
    every(1_000, 'settling due tasks', () => settleDueTasks(db, clock)),
    every(250, 'finishing deletions', () => finishDeletions(db, clock)),
    every(250, 'restoring projects', () => continueRestores(db, clock)),
    every(1_000, 'purging the trash', () => purgeExpired(db, clock, metrics, config.trashDays * dayMs)),
    every(60_000, 'packing old versions', () => packVersions(db, clock, metrics)),
    every(60_000, 'trimming the history', () => trimVersions(db, clock, metrics, config.historyDays * dayMs)),
    every(1_000, 'counting open streams', () => openStreams.flush()),
    every(5_000, 'noting refusals', () => refusals.flush()),
    every(60_000, 'trimming idempotency records', () => trimIdempotentRequests(db, clock())),
    every(60_000, 'trimming events', () => trimEvents(db, oldestKept())),
    every(60_000, 'trimming stream tickets', () => trimTickets(db, clock())),
    every(60_000, 'trimming sessions', () => trimSessions(db, clock())),
    every(60_000, 'trimming webhook deliveries', () => trimDeliveries(db, oldestKept())),
    every(60_000, 'trimming the audit log', () => trimAudit(db, clock())),
  ]
  return {
    stop: async () => {
      for (const timer of timers) clearInterval(timer)
      await Promise.all(running)
      await Promise.all([keyUsage.flush(), sessions.flush(), refusals.flush(), openStreams.flush()])
    },
  }
}
