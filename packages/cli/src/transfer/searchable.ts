import type { Worklore } from 'worklore-client'

/** Fewer are searchable before anyone has read the line. */
const minTold = 100

const minutesText = (seconds: number): string =>
  seconds < 60 ? 'less than a minute' : `about ${Math.ceil(seconds / 60)} min`

/** How many records are searchable by meaning, and when all are; undefined where nearly all are. */
export const searchableText = async (wl: Worklore): Promise<string | undefined> => {
  const { embedding } = await wl.me()
  if (!embedding || embedding.waiting < minTold) return undefined
  const { waiting, searchable, secondsLeft } = embedding
  const count = (value: number) => value.toLocaleString('en-US')
  const rest = secondsLeft === null ? '' : `; ${minutesText(secondsLeft)}`
  return `${count(searchable ?? 0)} of ${count((searchable ?? 0) + waiting)} records are searchable by meaning${rest}`
}
