import { useEffect } from 'react'
import type { GetUsageQuery, UsageRow } from 'worklore-client'
import { hasScope } from '../api/permissions'
import { useObservable } from '../store/base/observable'
import { useConsole } from '../store/console'
import { useLoaded } from '../store/use-loaded'

/** The service writes its counts about as often. */
const rereadEveryMs = 10_000

const hourMs = 3_600_000
export const periods = {
  '1h': { name: 'Last hour', ms: hourMs },
  '24h': { name: 'Last 24 hours', ms: 24 * hourMs },
  '7d': { name: 'Last 7 days', ms: 7 * 24 * hourMs },
  '30d': { name: 'Last 30 days', ms: 30 * 24 * hourMs },
} as const
export type Period = keyof typeof periods

export const isPeriod = (text: string | undefined): text is Period => text !== undefined && text in periods

const none: readonly UsageRow[] = []

/** What keys did in a period that ends now, for who may see it; read again while the page is in view. */
export const useUsage = (
  period: Period,
  query: Omit<GetUsageQuery, 'since'> = {},
): { rows: readonly UsageRow[]; isLoaded: boolean; error: unknown } => {
  const { client, me } = useConsole()
  const isAdmin = hasScope(useObservable(me), 'admin')
  const { data, error, reload } = useLoaded(
    async (signal) => {
      if (!isAdmin) return none
      const since = new Date(Date.now() - periods[period].ms).toISOString()
      return (await client.usage({ ...query, since }, { signal })).rows
    },
    ['usage', isAdmin, period, query.by, query.keyId],
  )
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') reload()
    }, rereadEveryMs)
    return () => clearInterval(timer)
  }, [reload])
  return { rows: data ?? none, isLoaded: data !== undefined, error }
}
