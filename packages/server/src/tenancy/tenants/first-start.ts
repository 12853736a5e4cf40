import type { Clock } from '../../base/clock.js'
import { AppError } from '../../base/errors.js'
import { isLoopback } from '../../base/listen-host.js'
import type { Db } from '../../db/port.js'
import { isKnownSecret } from '../keys/service.js'
import { createTenant, listTenantIds, listTenants } from './service.js'

interface FirstStartSettings {
  host: string
  adminKey: string | undefined
  plan: string | undefined
}

export interface FirstStart {
  /** What this start gave to an empty store. */
  created: { tenantId: string; tenantName: string; plan: string; keyId: string } | undefined
  /** The admin key to show once, where this start made it up. */
  newSecret: string | undefined
  warnings: string[]
}

const differences = async (db: Db, settings: FirstStartSettings): Promise<string[]> => {
  const warnings: string[] = []
  const first = settings.plan === undefined ? undefined : (await listTenants(db))[0]
  if (first && first.plan !== settings.plan) {
    warnings.push(
      `WORKLORE_PLAN is used only on first start: tenant "${first.name}" stays on plan "${first.plan}". Change it with: npx worklore tenants set-plan ${first.name} ${settings.plan}`,
    )
  }
  if (settings.adminKey !== undefined && !(await isKnownSecret(db, settings.adminKey))) {
    warnings.push(
      'WORKLORE_ADMIN_KEY is used only on first start and was ignored: this database already has other keys.',
    )
  }
  return warnings
}

/** A service on loopback serves the person who started it; any other may serve strangers. */
const planOf = ({ plan, host }: FirstStartSettings): string => plan ?? (isLoopback(host) ? 'self-hosted' : 'free')

/** Gives an empty store its first tenant and admin key. Of several nodes that start together, one does. */
export const prepareFirstStart = async (db: Db, clock: Clock, settings: FirstStartSettings): Promise<FirstStart> => {
  if ((await listTenantIds(db)).length > 0) {
    // With tenants on several servers, one that is gone is no reason not to serve those of the others.
    const warnings = await differences(db, settings).catch((error) => [
      `WORKLORE_PLAN and WORKLORE_ADMIN_KEY could not be compared with the database: ${(error as Error).message}`,
    ])
    return { created: undefined, newSecret: undefined, warnings }
  }
  try {
    const { tenant, key } = await createTenant(db, clock, {
      name: 'default',
      plan: planOf(settings),
      secret: settings.adminKey,
    })
    return {
      created: { tenantId: tenant.id, tenantName: tenant.name, plan: tenant.plan, keyId: key.apiKey.id },
      newSecret: settings.adminKey === undefined ? key.secret : undefined,
      warnings: [],
    }
  } catch (error) {
    if (error instanceof AppError && error.code === 'CONFLICT')
      return { created: undefined, newSecret: undefined, warnings: [] }
    throw error
  }
}
