import type { ChangeEvent } from 'worklore-client'

/** The newest events, newest first. `before` is the cursor of the next older page, or null if there is none. */
export interface EventTail {
  events: readonly ChangeEvent[]
  before: number | null
}

/** Adds newer events, given newest first, and drops the oldest beyond `most`. */
export const withNewer = ({ events, before }: EventTail, newer: readonly ChangeEvent[], most: number): EventTail => {
  const newest = events[0]?.sequence ?? 0
  const all = [...newer.filter(({ sequence }) => sequence > newest), ...events]
  return all.length > most ? { events: all.slice(0, most), before: all[most - 1]!.sequence } : { events: all, before }
}
