import { systemClock } from '../../base/clock.js'
import type { Sql } from '../../db/port.js'
import { operatorCall } from '../../operations/call.js'
import { audit } from './service.js'

/** Tells a tenant that its records are those of a backup. */
export const noteRestore = (tx: Sql, tenantId: string): Promise<void> =>
  audit(operatorCall(tx, systemClock, tenantId), 'store.restored')
