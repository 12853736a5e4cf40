import type { Clock } from './clock.js'
import type { Config } from './config.js'
import type { Db } from './db/port.js'
import type { Watches } from './events/watch.js'
import type { Authenticator } from './keys/authenticator.js'
import type { KeyUsage } from './keys/usage.js'
import type { Limiter } from './limits/limiter.js'
import type { Plans } from './limits/plans.js'
import type { Metrics } from './metrics.js'
import type { SearchEngine } from './search/engine.js'
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
  readonly search: SearchEngine
  readonly metrics: Metrics
  readonly watches: Watches
  readonly targets: Targets
}
