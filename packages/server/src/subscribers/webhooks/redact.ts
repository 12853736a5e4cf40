import type { Call } from '../../operations/call.js'
import { redactDeliveries as redact } from './delivery/store.js'

/** Takes purged records out of the deliveries of their events. */
export const redactDeliveries = ({ db, actor }: Call, sequences: readonly number[]): Promise<void> =>
  redact(db, actor.tenantId, sequences)
