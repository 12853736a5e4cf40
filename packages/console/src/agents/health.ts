import type { UsageRow, WorkerUsage } from 'worklore-client'
import { durationText } from '../components/time'

const hourMs = 3_600_000

export const refusedTotal = ({ refused }: Pick<UsageRow, 'refused'>): number =>
  Object.values(refused).reduce((sum, count) => sum + count, 0)

const statusNames: Record<string, string> = {
  400: 'invalid request',
  401: 'key not valid',
  403: 'not allowed',
  404: 'not found',
  409: 'conflict',
  412: 'changed meanwhile, or claim lost',
  413: 'too large',
  422: 'idempotency key used twice',
  429: 'over a rate limit',
  500: 'internal error',
  503: 'service unavailable',
}

/** Refused requests by status, the most frequent first. */
export const refusalsOf = ({ refused }: Pick<UsageRow, 'refused'>): { status: string; name: string; count: number }[] =>
  Object.entries(refused)
    .map(([status, count]) => ({ status, name: statusNames[status] ?? 'refused', count }))
    .sort((a, b) => b.count - a.count)

/** Since the period began, or since the first request or claim in it. */
export const finishedPerHour = (
  { claims, firstAt }: Pick<WorkerUsage, 'claims' | 'firstAt'>,
  periodMs: number,
  nowMs: number,
): number => {
  const seenMs = firstAt ? Math.min(periodMs, nowMs - Date.parse(firstAt)) : periodMs
  return claims.finished / Math.max(1, seenMs / hourMs)
}

export const rateText = (perHour: number): string => {
  if (perHour > 0 && perHour < 0.01) return '< 0.01'
  return perHour.toLocaleString('en', { maximumFractionDigits: perHour < 1 ? 2 : perHour < 10 ? 1 : 0 })
}

/** The share of ended claims by which nothing was done; null where none ended. */
export const failureShare = ({ claims }: Pick<WorkerUsage, 'claims'>): number | null =>
  claims.ended === 0 ? null : (claims.released + claims.expired) / claims.ended

export const shareText = (share: number | null): string => (share === null ? '–' : `${Math.round(share * 100)}%`)

export const medianText = ({ claims }: Pick<WorkerUsage, 'claims'>): string =>
  claims.medianSeconds === null ? '–' : durationText(claims.medianSeconds * 1000)
