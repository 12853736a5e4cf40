import { setTimeout as sleep } from 'node:timers/promises'
import type { Worklore } from 'worklore-client'

/** Fewer are searchable before anyone has read the line. */
const minTold = 100
const measuredMs = 1_000

const minutesText = (seconds: number): string =>
  seconds < 60 ? 'less than a minute' : `about ${Math.ceil(seconds / 60)} min`

/** How many of the records that were created are searchable by meaning; undefined where nearly all are. */
export const searchableText = async (wl: Worklore, created: number): Promise<string | undefined> => {
  const waitingNow = async () => (await wl.me()).embedding?.waiting ?? 0
  const before = await waitingNow()
  if (before < minTold || created === 0) return undefined
  await sleep(measuredMs)
  const waiting = await waitingNow()
  const perSecond = ((before - waiting) * 1_000) / measuredMs
  const total = Math.max(created, waiting)
  const count = (value: number) => value.toLocaleString('en-US')
  const rest = perSecond > 0 ? `; ${minutesText(waiting / perSecond)}` : ''
  return `${count(total - waiting)} of ${count(total)} records are searchable by meaning${rest}`
}
