import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { createDurations, type ObserveSeconds } from '../base/durations.js'
import { type NodeFigures, watchNode } from './watched-figures.js'

export interface Metrics {
  observeRequest(method: string, route: string, status: number, durationMs: number): void
  observeStatement(durationMs: number): void
  countFailure(kind: string): void
  countClosedConnection(reason: string): void
  countOpenStreams(step: 1 | -1): void
  countDelivery(outcome: 'succeeded' | 'retrying' | 'failed'): void
  observeDeliveryDelay(delayMs: number): void
  /** An entry of the trash whose record is gone for good. */
  countPurged(): void
  countTrimmedVersions(count: number): void
  countPackedVersions(count: number): void
  countEmbedded(): void
  countEmbeddingFailure(): void
  /** A periodic job has ended well. */
  noteJob(name: string): void
  /** Asked for at each reading of the figures. */
  watchNode(sources: NodeFigures): void
  watchSearch(sources: SearchFigures): void
  text(): Promise<string>
  contentType: string
}

interface SearchFigures {
  /** Records that wait to be embedded, on all nodes. */
  waiting?(): Promise<number>
  indexes(): Promise<{ tenants: number; memoryBytes: number }>
}

const secondsBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export const createMetrics = (): Metrics => {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = createDurations(
    'worklore_request_duration_seconds',
    'Time from the arrival of a request to the end of its response',
    secondsBuckets,
  )
  const statements = createDurations(
    'worklore_storage_statement_duration_seconds',
    'Time of one database statement',
    secondsBuckets.map((seconds) => seconds / 10),
  )
  const failures = new Counter({
    name: 'worklore_background_failures_total',
    help: 'Background jobs that failed and will be retried',
    labelNames: ['kind'] as const,
    registers: [registry],
  })
  const jobs = new Gauge({
    name: 'worklore_background_last_success_timestamp_seconds',
    help: 'When a background job last ended well on this node',
    labelNames: ['kind'] as const,
    registers: [registry],
  })

  const closedConnections = new Counter({
    name: 'worklore_connections_closed_total',
    help: 'Connections closed for exceeding a limit, by reason',
    labelNames: ['reason'] as const,
    registers: [registry],
  })

  const streams = new Gauge({
    name: 'worklore_event_streams',
    help: 'Open event streams',
    registers: [registry],
  })
  const deliveries = new Counter({
    name: 'worklore_webhook_deliveries_total',
    help: 'Webhook delivery attempts, by outcome',
    labelNames: ['outcome'] as const,
    registers: [registry],
  })
  const deliveryDelay = new Histogram({
    name: 'worklore_webhook_delivery_delay_seconds',
    help: 'Time from an event to its delivery, for deliveries that succeed at the first attempt',
    buckets: [...secondsBuckets, 60, 600, 3_600],
    registers: [registry],
  })

  const purged = new Counter({
    name: 'worklore_trash_purged_total',
    help: 'Trash entries purged',
    registers: [registry],
  })
  const trimmedVersions = new Counter({
    name: 'worklore_history_trimmed_total',
    help: 'Old versions removed by retention',
    registers: [registry],
  })
  const packedVersions = new Counter({
    name: 'worklore_history_packed_total',
    help: 'Versions compressed in the background',
    registers: [registry],
  })

  const embedded = new Counter({
    name: 'worklore_embedded_total',
    help: 'Embedded records',
    registers: [registry],
  })
  const embeddingFailures = new Counter({
    name: 'worklore_embedding_failures_total',
    help: 'Failed attempts to embed a record, which will be retried',
    registers: [registry],
  })

  // A store that is away must not take the other figures with it.
  const keepLast = () => {}
  const watchSearch = ({ waiting, indexes }: SearchFigures): void => {
    if (waiting) {
      new Gauge({
        name: 'worklore_embedding_waiting',
        help: 'Records waiting to be embedded, across all nodes',
        registers: [registry],
        async collect() {
          await waiting().then((count) => this.set(count), keepLast)
        },
      })
    }
    const tenants = new Gauge({
      name: 'worklore_search_tenants',
      help: 'Tenants whose search index is in memory',
      registers: [registry],
    })
    new Gauge({
      name: 'worklore_search_memory_bytes',
      help: 'Memory used by search indexes',
      registers: [registry],
      async collect() {
        await indexes().then((held) => {
          tenants.set(held.tenants)
          this.set(held.memoryBytes)
        }, keepLast)
      },
    })
  }

  const observeStatement = statements.series()
  const ofRoutes = new Map<string, ObserveSeconds>()
  return {
    observeRequest: (method, route, status, durationMs) => {
      const name = `${method}${status}${route}`
      let observe = ofRoutes.get(name)
      if (!observe) {
        observe = requests.series({ method, route, status: String(status) })
        ofRoutes.set(name, observe)
      }
      observe(durationMs / 1000)
    },
    observeStatement: (durationMs) => observeStatement(durationMs / 1000),
    countFailure: (kind) => failures.inc({ kind }),
    countClosedConnection: (reason) => closedConnections.inc({ reason }),
    countOpenStreams: (step) => streams.inc(step),
    countDelivery: (outcome) => deliveries.inc({ outcome }),
    observeDeliveryDelay: (delayMs) => deliveryDelay.observe(delayMs / 1000),
    countPurged: () => purged.inc(),
    countTrimmedVersions: (count) => trimmedVersions.inc(count),
    countPackedVersions: (count) => packedVersions.inc(count),
    countEmbedded: () => embedded.inc(),
    countEmbeddingFailure: () => embeddingFailures.inc(),
    noteJob: (kind) => jobs.setToCurrentTime({ kind }),
    watchNode: (sources) => watchNode(registry, sources),
    watchSearch,
    text: async () => `${await registry.metrics()}\n${requests.text()}\n${statements.text()}`,
    contentType: registry.contentType,
  }
}
