import type { SearchEngine } from 'worklore-search'
import type { RefusalLog } from './audit/refusals.js'
import type { ReadyWaits } from './claims/waiting.js'
import type { Clock } from './clock.js'
import type { Config } from './config.js'
import type { Db } from './db/port.js'
import type { ReadAfter } from './events/shared-reads.js'
import type { Watches } from './events/watch.js'
import type { Idempotency } from './idempotency/service.js'
import type { Authenticator } from './keys/authenticator.js'
import type { KeyUsage } from './keys/usage.js'
import type { Limiter } from './limits/limiter.js'
import type { OpenWaits } from './limits/open-waits.js'
import type { Plans } from './limits/plans.js'
import type { WorkSlots } from './limits/work-slots.js'
import type { Metrics } from './metrics.js'
import type { OpenStreams } from './quotas/open-streams.js'
import type { Vectors } from './search/start.js'
import type { SecretBox } from './secrets/service.js'
import type { Sessions } from './sessions/use.js'
import type { Targets } from './webhooks/target.js'

/** What every door of the service stands on. */
export interface Core {
  readonly config: Config
  readonly clock: Clock
  readonly db: Db
  readonly plans: Plans
  readonly limiter: Limiter
  readonly authenticator: Authenticator
  readonly keyUsage: KeyUsage
  readonly idempotency: Idempotency
  readonly sessions: Sessions
  readonly refusals: RefusalLog
  readonly openStreams: OpenStreams
  readonly search: SearchEngine
  /** Undefined where search goes by words alone. */
  readonly vectors: Vectors | undefined
  readonly metrics: Metrics
  readonly watches: Watches
  readonly readyWaits: ReadyWaits
  /** Reads of the log that all who wait for it share. */
  readonly sharedReads: ReadAfter
  readonly openWaits: OpenWaits
  readonly workSlots: WorkSlots
  readonly targets: Targets
  readonly secretBox: SecretBox
}
