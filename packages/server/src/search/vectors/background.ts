import type { Logger } from 'pino'
import type { Db } from '../../db/port.js'
import { randomBase62 } from '../../ids.js'
import type { Metrics } from '../../metrics.js'
import type { Embedder } from '../embedding/embedder.js'
import { embedJob } from './embed-job.js'
import { followLog } from './follow-log.js'
import { forgetUnusedModels } from './forget-unused.js'
import { tenantsBehind } from './position-store.js'
import { claimJobs, type Job, postponeJob, releaseAllJobs, releaseJobs } from './queue-store.js'
import { createWait } from './wait.js'

export interface BackgroundSettings {
  /** Records in memory at once, and so how long a newer one waits. */
  jobsAtOnce: number
  leaseMs: number
  /** How often it looks without being told of news. */
  lookEveryMs: number
  /** News that come together are looked at together. */
  gatherMs: number
  retryMs: number
  maxRetryMs: number
}

export const backgroundSettings: BackgroundSettings = {
  jobsAtOnce: 8,
  leaseMs: 120_000,
  lookEveryMs: 5_000,
  gatherMs: 200,
  retryMs: 1_000,
  maxRetryMs: 600_000,
}

const TENANTS_PER_LOOK = 200
const LONGEST_PAUSE_MS = 30_000
const TIDY_EVERY_MS = 3_600_000

export interface EmbeddingTools {
  db: Db
  embedder: Embedder
  metrics: Metrics
  logger: Logger
}

/** Embeds what was written, newest first, beside the requests. Every node runs one; leases share the list. */
export const startEmbedding = (
  { db, embedder, metrics, logger }: EmbeddingTools,
  settings: BackgroundSettings = backgroundSettings,
): { stop(): Promise<void> } => {
  const { model } = embedder
  const claim = `node_${randomBase62(12)}`
  const wait = createWait()
  let isStopping = false
  let hasNews = true
  let failedTurns = 0
  let tidyAt = 0

  const retryAfter = (failures: number) => Math.min(settings.maxRetryMs, settings.retryMs * 2 ** Math.min(failures, 20))

  const followLogs = async (): Promise<void> => {
    for (let isMore = hasNews; isMore && !isStopping; ) {
      hasNews = false
      const behind = await tenantsBehind(db, model, TENANTS_PER_LOOK)
      for (const tenant of behind) if (!isStopping) await followLog(db, model, tenant)
      isMore = behind.length === TENANTS_PER_LOOK
    }
  }

  const attempt = async (job: Job): Promise<boolean> => {
    try {
      if (await embedJob(db, embedder, job, claim)) metrics.countEmbedded()
      return true
    } catch (error) {
      if (isStopping) return false
      metrics.countEmbeddingFailure()
      if (failedTurns === 0) logger.warn({ err: error }, 'a text could not be embedded and will be tried again')
      await postponeJob(db, model, job, claim, retryAfter(job.attempts - 1))
      return false
    }
  }

  /** True where none of them could be embedded: then it is not their texts that are at fault. */
  const haveAllFailed = async (jobs: readonly Job[]): Promise<boolean> => {
    const outcomes = await Promise.all(jobs.map(attempt))
    return jobs.length > 0 && !outcomes.includes(true)
  }

  const tidyNowAndThen = async (): Promise<void> => {
    if (performance.now() < tidyAt) return
    tidyAt = performance.now() + TIDY_EVERY_MS
    await forgetUnusedModels(db, model)
  }

  const turn = async (): Promise<void> => {
    await followLogs()
    const jobs = isStopping ? [] : await claimJobs(db, model, { ...settings, claim, count: settings.jobsAtOnce })
    if (await haveAllFailed(jobs)) {
      await wait.rest(Math.min(LONGEST_PAUSE_MS, retryAfter(failedTurns++)))
      return
    }
    if (jobs.length > 0) failedTurns = 0
    else if (!hasNews) {
      await tidyNowAndThen()
      await wait.pause(settings.lookEveryMs)
      await wait.rest(settings.gatherMs)
      hasNews = true
    }
  }

  const run = async (): Promise<void> => {
    if (!db.dialect.isShared) await releaseAllJobs(db, model)
    while (!isStopping) await turn()
    await releaseJobs(db, model, claim)
  }

  const runForever = async (): Promise<void> => {
    while (!isStopping) {
      await run().catch(async (error) => {
        if (isStopping) return
        metrics.countFailure('embedding')
        logger.warn({ err: error }, 'embedding failed and will be tried again')
        await wait.rest(settings.lookEveryMs)
      })
    }
  }

  const leave = db.listen(() => {
    hasNews = true
    wait.wake()
  })
  const running = runForever()
  return {
    stop: async () => {
      isStopping = true
      leave()
      wait.end()
      await embedder.close()
      await running
    },
  }
}
