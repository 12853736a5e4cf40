import type { UsageRow } from 'worklore-client'
import { useNow } from '../components/time'
import { ratesOf } from '../store/activity'
import { useActivity } from '../store/records'
import { useUsage } from './use-usage'

const sumOf = (rows: readonly UsageRow[]): number[] =>
  rows[0]!.recentChanges.map((_, minute) => rows.reduce((sum, row) => sum + row.recentChanges[minute]!, 0))

/**
 * The changes of a key, or of all, in each of the last 30 minutes, oldest first: as the service counts them for admins, as
 * far as the newest events tell for others.
 */
export const useRates = (keyId?: string): readonly number[] => {
  const nowMs = useNow()
  const activity = useActivity()
  const { rows } = useUsage('1h', { keyId })
  return rows.length > 0 ? sumOf(rows) : ratesOf(activity, nowMs, keyId)
}
