import { isoTime } from '../../base/clock.js'
import type { QuotaUse } from './quotas.js'

export const warningCodes = ['key_expires_soon', 'quota_nearly_used'] as const

interface Warning {
  code: (typeof warningCodes)[number]
  message: string
}

const soonMs = 7 * 86_400_000
const nearlyUsed = 0.9

/** What the caller should act on before it becomes an error. */
export const warningsFor = (keyExpiresAt: number | null, quotas: readonly QuotaUse[], nowMs: number): Warning[] => {
  const warnings: Warning[] = []
  if (keyExpiresAt !== null && keyExpiresAt - nowMs <= soonMs) {
    warnings.push({
      code: 'key_expires_soon',
      message: `This key or its secret ends at ${isoTime(keyExpiresAt)}. Ask an admin for another before that.`,
    })
  }
  for (const { name, limit, used } of quotas) {
    if (used < limit * nearlyUsed) continue
    warnings.push({ code: 'quota_nearly_used', message: `${used} of ${limit} ${name} are used.` })
  }
  return warnings
}
