import type { Logger } from 'pino'
import type { Embedder } from 'worklore-search'
import { randomBase62 } from '../../../base/ids.js'
import type { Db } from '../../../db/port.js'
import { isTenantTopic } from '../../../db/topics.js'
import type { Metrics } from '../../../observability/metrics.js'
import { listTenantIds } from '../../../tenancy/tenants/service.js'
import type { SearchSources } from '../../../work/search/source.js'
import { createAgenda, type Turn } from './agenda.js'
import { createAlarm } from './alarm.js'
import type { Pace } from './pace.js'
import { releaseAllJobs } from './queue-store.js'
import { type VisitTools, visitTenant } from './visit.js'

export interface BackgroundSettings {
  /** Documents in memory at once, and so how long a newer one waits. */
  batchSize: number
  leaseMs: number
  /** How often it looks at all tenants, for changes that it was not told of. */
  pollMs: number
  /** Changes that come together are read together. */
  debounceMs: number
  retryMs: number
  maxRetryMs: number
}

export const backgroundSettings: BackgroundSettings = {
  batchSize: 8,
  leaseMs: 120_000,
  pollMs: 300_000,
  debounceMs: 200,
  retryMs: 1_000,
  maxRetryMs: 600_000,
}

const maxRestMs = 30_000
const maxTenantRetryMs = 60_000
/** Where a commit may have been missed. */
const soonestPollMs = 5_000

interface EmbeddingTools {
  db: Db
  sources: SearchSources
  embedder: Embedder
  pace: Pace
  metrics: Metrics
  logger: Logger
}

/**
 * Embeds what was written beside the requests, tenant by tenant: those that a node heard of by their commits, and now and then
 * all of them. Where that fails for a tenant it is tried again later, and the others go on. Every node runs one; leases of
 * documents share the work.
 */
export const startEmbedding = (
  { db, sources, embedder, pace, metrics, logger }: EmbeddingTools,
  settings: BackgroundSettings = backgroundSettings,
): { stop(): Promise<void> } => {
  const agenda = createAgenda()
  const visits = new Set<Promise<void>>()
  let freePlaces = settings.batchSize
  let isRetrying = false
  let isStopping = false
  let failedVisits = 0
  let restsUntilMs = 0
  let polledAtMs = 0
  let polling = Promise.resolve()
  let mustReleaseAll = !db.dialect.isShared

  const retryAfterMs = (failures: number) =>
    Math.min(settings.maxRetryMs, settings.retryMs * 2 ** Math.min(failures, 20))

  const noteFailure = (error: unknown): void => {
    metrics.countFailure('embedding')
    logger.warn({ err: error }, 'embedding failed and will be retried')
  }

  /** Where no document of a tenant could be embedded, it is not their texts that are at fault. */
  const noteOutcome = (couldEmbed: boolean): void => {
    if (couldEmbed) failedVisits = 0
    else if (performance.now() >= restsUntilMs) {
      restsUntilMs = performance.now() + Math.min(maxRestMs, retryAfterMs(failedVisits++))
    }
  }

  const tools: VisitTools = {
    ...{ db, sources, embedder, retryAfterMs },
    claim: `node_${randomBase62(12)}`,
    leaseMs: settings.leaseMs,
    isStopping: () => isStopping,
    onEmbedded: (tenantId: string, change: number) => {
      metrics.countEmbedded()
      pace.note(tenantId, change)
    },
    onFailure: (error: unknown) => {
      metrics.countEmbeddingFailure()
      if (failedVisits === 0) logger.warn({ err: error }, 'embedding a record failed and will be retried')
    },
  }

  const visit = async (visitTools: VisitTools, { tenantId, failures }: Turn, count: number): Promise<void> => {
    try {
      const { couldEmbed, nextInMs } = await visitTenant(visitTools, tenantId, count)
      const nowMs = performance.now()
      if (couldEmbed !== undefined) noteOutcome(couldEmbed)
      if (nextInMs !== undefined) agenda.plan(tenantId, nowMs + nextInMs, nowMs)
    } catch (error) {
      if (isStopping) return
      noteFailure(error)
      const retryMs = Math.min(maxTenantRetryMs, retryAfterMs(failures))
      agenda.planRetry(tenantId, { atMs: performance.now() + retryMs, failures: failures + 1 })
    }
  }

  /** What was written since, or waits for its turn, goes before the rest of a long text: one text, to its end. */
  const giveWay = async (renew: () => Promise<void>): Promise<void> => {
    const nowMs = performance.now()
    const turn = isStopping || nowMs < restsUntilMs ? undefined : agenda.take(nowMs, false)
    if (turn) await visit({ ...tools, giveWay: renew }, turn, 1)
  }

  const begin = (turn: Turn): void => {
    const places = Math.max(1, Math.floor(freePlaces / (1 + agenda.countWaiting())))
    const retries = turn.failures > 0
    freePlaces -= places
    if (retries) isRetrying = true
    const visiting = visit({ ...tools, giveWay }, turn, places).finally(() => {
      visits.delete(visiting)
      freePlaces += places
      if (retries) isRetrying = false
      lookAround()
    })
    visits.add(visiting)
  }

  /** Begins visits while there is room for more, and comes back when the next one is due. */
  const lookAround = (): void => {
    const nowMs = performance.now()
    while (!isStopping && freePlaces > 0 && nowMs >= restsUntilMs) {
      const next = agenda.take(nowMs, !isRetrying)
      if (!next) break
      begin(next)
    }
    if (freePlaces > 0) looks.set(Math.max(agenda.nextMs(!isRetrying), restsUntilMs))
  }
  const looks = createAlarm(lookAround)

  const poll = async (): Promise<void> => {
    polledAtMs = performance.now()
    let nextInMs = settings.pollMs
    try {
      if (mustReleaseAll) await releaseAllJobs(db, embedder.model)
      mustReleaseAll = false
      for (const tenantId of await listTenantIds(db)) agenda.plan(tenantId, 0, polledAtMs)
    } catch (error) {
      noteFailure(error)
      nextInMs = Math.min(nextInMs, maxRestMs)
    }
    lookAround()
    polls.set(performance.now() + nextInMs)
  }
  const polls = createAlarm(() => {
    polling = polling.then(poll)
  })

  const leave = db.listen((commits) => {
    const topics = commits.keys?.()
    const nowMs = performance.now()
    if (!topics) polls.set(Math.max(nowMs, polledAtMs + soonestPollMs))
    else for (const topic of topics) if (isTenantTopic(topic)) agenda.hear(topic, nowMs + settings.debounceMs)
    if (freePlaces > 0) looks.set(Math.max(agenda.nextMs(!isRetrying), restsUntilMs))
  })
  polls.set(0)
  return {
    stop: async () => {
      isStopping = true
      leave()
      looks.end()
      polls.end()
      await embedder.close()
      await polling
      await Promise.all(visits)
    },
  }
}
