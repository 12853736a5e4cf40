import type { Logger } from 'pino'
import type { Embedder } from 'worklore-search'
import { randomBase62 } from '../../../base/ids.js'
import type { Db } from '../../../db/port.js'
import type { Metrics } from '../../../observability/metrics.js'
import type { SearchSources } from '../../../work/search/source.js'
import { dropUnusedModels } from './drop-unused.js'
import { embedJob } from './embed-job.js'
import { enqueueChanges } from './enqueue-changes.js'
import type { Pace } from './pace.js'
import { createPause } from './pause.js'
import { tenantsBehind } from './position-store.js'
import { claimJobs, type Job, postponeJob, releaseAllJobs, releaseJobs, renewJobs } from './queue-store.js'

export interface BackgroundSettings {
  /** Documents in memory at once, and so how long a newer one waits. */
  batchSize: number
  leaseMs: number
  /** How often it looks for changes without being told of them. */
  pollMs: number
  /** Changes that come together are read together. */
  debounceMs: number
  retryMs: number
  maxRetryMs: number
}

export const backgroundSettings: BackgroundSettings = {
  batchSize: 8,
  leaseMs: 120_000,
  pollMs: 5_000,
  debounceMs: 200,
  retryMs: 1_000,
  maxRetryMs: 600_000,
}

const TENANTS_PER_READ = 200
const MAX_PAUSE_MS = 30_000
const CLEAN_UP_EVERY_MS = 3_600_000

interface EmbeddingTools {
  db: Db
  sources: SearchSources
  embedder: Embedder
  pace: Pace
  metrics: Metrics
  logger: Logger
}

/** Embeds what was written, newest first, beside the requests. Every node runs one; leases share the queue. */
export const startEmbedding = (
  { db, sources, embedder, pace, metrics, logger }: EmbeddingTools,
  settings: BackgroundSettings = backgroundSettings,
): { stop(): Promise<void> } => {
  const { model } = embedder
  const claim = `node_${randomBase62(12)}`
  const pause = createPause()
  let isStopping = false
  let hasChanges = true
  let failedRounds = 0
  let cleanUpAt = 0

  const retryAfter = (failures: number) => Math.min(settings.maxRetryMs, settings.retryMs * 2 ** Math.min(failures, 20))

  const readLogs = async (): Promise<void> => {
    for (let isMore = hasChanges; isMore && !isStopping; ) {
      hasChanges = false
      const behind = await tenantsBehind(db, model, TENANTS_PER_READ)
      for (const tenant of behind) if (!isStopping) await enqueueChanges(db, sources, model, tenant)
      isMore = behind.length === TENANTS_PER_READ
    }
  }

  const attempt = async (job: Job): Promise<boolean> => {
    try {
      const renew = () => renewJobs(db, model, claim, settings.leaseMs)
      const change = await embedJob(db, sources, embedder, job, claim, renew)
      if (change !== undefined) {
        metrics.countEmbedded()
        pace.note(job.tenant_id, change)
      }
      return true
    } catch (error) {
      if (isStopping) return false
      metrics.countEmbeddingFailure()
      if (failedRounds === 0) logger.warn({ err: error }, 'embedding a record failed and will be retried')
      await postponeJob(db, model, job, claim, retryAfter(job.attempts - 1))
      return false
    }
  }

  /** True where none of them could be embedded: then it is not their texts that are at fault. */
  const haveAllFailed = async (jobs: readonly Job[]): Promise<boolean> => {
    const outcomes = await Promise.all(jobs.map(attempt))
    return jobs.length > 0 && !outcomes.includes(true)
  }

  const cleanUpNowAndThen = async (): Promise<void> => {
    if (performance.now() < cleanUpAt) return
    cleanUpAt = performance.now() + CLEAN_UP_EVERY_MS
    await dropUnusedModels(db, model)
  }

  const round = async (): Promise<void> => {
    await readLogs()
    const jobs = isStopping ? [] : await claimJobs(db, model, { ...settings, claim, count: settings.batchSize })
    if (await haveAllFailed(jobs)) {
      await pause.rest(Math.min(MAX_PAUSE_MS, retryAfter(failedRounds++)))
      return
    }
    if (jobs.length > 0) failedRounds = 0
    else if (!hasChanges) {
      await cleanUpNowAndThen()
      await pause.untilWoken(settings.pollMs)
      await pause.rest(settings.debounceMs)
      hasChanges = true
    }
  }

  const run = async (): Promise<void> => {
    if (!db.dialect.isShared) await releaseAllJobs(db, model)
    while (!isStopping) await round()
    await releaseJobs(db, model, claim)
  }

  const runForever = async (): Promise<void> => {
    while (!isStopping) {
      await run().catch(async (error) => {
        if (isStopping) return
        metrics.countFailure('embedding')
        logger.warn({ err: error }, 'embedding failed and will be retried')
        await pause.rest(settings.pollMs)
      })
    }
  }

  const leave = db.listen(() => {
    hasChanges = true
    pause.wake()
  })
  const running = runForever()
  return {
    stop: async () => {
      isStopping = true
      leave()
      pause.end()
      await embedder.close()
      await running
    },
  }
}
