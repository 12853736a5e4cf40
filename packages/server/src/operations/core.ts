import type { SearchEngine } from 'worklore-search'
import type { Clock } from '../base/clock.js'
import type { Config } from '../config.js'
import type { Db } from '../db/port.js'
import type { SecretBox } from '../db/secrets/service.js'
import type { Limiter } from '../limits/limiter.js'
import type { Plans } from '../limits/plans.js'
import type { OpenStreams } from '../limits/quotas/open-streams.js'
import type { Usage } from '../limits/usage/usage.js'
import type { Metrics } from '../observability/metrics.js'
import type { Tracing } from '../observability/tracing.js'
import type { FairSlots } from '../scheduling/fair-slots.js'
import type { Scheduler } from '../scheduling/scheduler.js'
import type { Hooks } from './hooks.js'
import type { Idempotency } from './idempotency/service.js'

/** Dependencies shared by all interfaces. Higher layers declare the members that they add beside the types of these. */
export interface Core {
  readonly config: Config
  readonly clock: Clock
  readonly db: Db
  readonly scheduler: Scheduler
  readonly plans: Plans
  readonly limiter: Limiter
  readonly idempotency: Idempotency
  readonly openStreams: OpenStreams
  readonly usage: Usage
  readonly workSlots: FairSlots
  readonly search: SearchEngine
  readonly metrics: Metrics
  /** Only where the operator has loaded an OpenTelemetry SDK. */
  readonly tracing: Tracing | undefined
  readonly secretBox: SecretBox
  readonly hooks: Hooks
  /** Aborted once the service is about to stop. */
  readonly draining: AbortSignal
}
