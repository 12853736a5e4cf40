import type { Embedder } from 'worklore-search'
import type { Db } from '../../../db/port.js'
import type { SearchSources } from '../../../work/search/source.js'
import { embedJob } from './embed-job.js'
import { enqueueChanges } from './enqueue-changes.js'
import { keepModels } from './keep-models.js'
import { findPosition } from './position-store.js'
import { claimJobs, countWaitingOf, type Job, nextDueInMs, postponeJob, releaseJobs, renewJobs } from './queue-store.js'

const RENEWALS_PER_LEASE = 4

export interface VisitTools {
  db: Db
  sources: SearchSources
  embedder: Embedder
  /** Marks what this node has claimed. */
  claim: string
  leaseMs: number
  /** When a document is tried again that has failed so often before. */
  retryAfterMs(failures: number): number
  isStopping(): boolean
  onEmbedded(tenantId: string, change: number): void
  onFailure(error: unknown): void
  /** Lets others go before the rest of a long text, whose lease is to be renewed meanwhile. */
  giveWay?(renew: () => Promise<void>): Promise<void>
}

/** What a look at a tenant has found. */
interface Visit {
  /** Whether any document could be embedded, or none; undefined where none was tried. */
  couldEmbed?: boolean
  /** When to look again; undefined where nothing waits. */
  nextInMs: number | undefined
}

/** Reads what a tenant has changed, and embeds up to `count` of its documents that wait, the newest first. */
export const visitTenant = async (tools: VisitTools, tenantId: string, count: number): Promise<Visit> => {
  const { db, sources, embedder, claim, leaseMs, retryAfterMs, isStopping } = tools
  const set = { tenantId, model: embedder.model }

  let renewedAtMs = performance.now()
  const renew = async (): Promise<void> => {
    if (performance.now() - renewedAtMs < leaseMs / RENEWALS_PER_LEASE) return
    renewedAtMs = performance.now()
    await renewJobs(db, set, claim, leaseMs)
  }

  const attempt = async (job: Job): Promise<boolean> => {
    try {
      const betweenBatches = async () => {
        await renew()
        await tools.giveWay?.(renew)
      }
      const change = await embedJob(db, sources, embedder, job, claim, betweenBatches)
      if (change !== undefined) tools.onEmbedded(tenantId, change)
      return true
    } catch (error) {
      if (isStopping()) return false
      tools.onFailure(error)
      await postponeJob(db, set.model, job, claim, retryAfterMs(job.attempts - 1))
      return false
    }
  }

  const read = await findPosition(db, set)
  if (!read) return { nextInMs: undefined }
  await enqueueChanges(db, sources, set, read)
  await keepModels(db, set, read.unseenMs)
  if (isStopping() || (await countWaitingOf(db, set, 1)) === 0) return { nextInMs: undefined }
  const jobs = await claimJobs(db, set, { claim, leaseMs, count })
  const outcomes = await Promise.all(jobs.map(attempt))
  if (isStopping()) await releaseJobs(db, set, claim)
  return {
    ...(jobs.length > 0 && { couldEmbed: outcomes.includes(true) }),
    nextInMs: jobs.length === count ? 0 : await nextDueInMs(db, set),
  }
}
