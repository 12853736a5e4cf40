import { type ChangeEvent, subjectOf } from 'worklore-client'
import type { Client } from '../api/client'
import { createView, type Observable } from './base/observable'

/** Events kept for the overview, newest last. */
const maxEvents = 4_000
const activityMinutes = 30
const pagesAtStart = 4
const eventsPerPage = 500

/** What the overview needs of an event; its record would be too large to keep thousands of. */
export interface Activity {
  sequence: number
  atMs: number
  type: string
  keyId: string
  keyName: string
  userId: string | null
  subject: string
  title: string
}

export interface RecentActivity {
  /** The newest events, the oldest first. */
  view: Observable<readonly Activity[]>
  /** Reads the last half hour, once. */
  load(): void
  apply(event: ChangeEvent): void
}

/** Returns the title or name of the record that changed. */
const titleOf = ({ data }: ChangeEvent): string => {
  if ('title' in data) return data.title ?? ''
  return 'name' in data ? data.name : ''
}

const activityOf = (event: ChangeEvent): Activity => ({
  sequence: event.sequence,
  atMs: Date.parse(event.timestamp),
  type: event.type,
  keyId: event.actor.keyId,
  keyName: event.actor.keyName,
  userId: event.actor.userId,
  subject: subjectOf(event),
  title: titleOf(event),
})

export const createRecentActivity = (client: Client): RecentActivity => {
  let list: Activity[] = []
  let isLoading = false
  const { view, touch } = createView((): readonly Activity[] => [...list])

  const readPast = async (): Promise<void> => {
    const sinceMs = Date.now() - activityMinutes * 60_000
    let before: number | undefined
    for (let page = 0; page < pagesAtStart; page++) {
      const { data, pagination } = await client.events.newest({ limit: eventsPerPage, before })
      const oldest = list[0]?.sequence ?? Infinity
      const past = data.map(activityOf).filter(({ sequence }) => sequence < oldest)
      list = [...past.reverse(), ...list]
      touch()
      const last = data.at(-1)
      if (!last || pagination.nextBefore === null || Date.parse(last.timestamp) < sinceMs) return
      before = pagination.nextBefore
    }
  }

  return {
    view,
    load: () => {
      if (isLoading) return
      isLoading = true
      readPast().catch(() => {
        isLoading = false
      })
    },
    apply: (event) => {
      list.push(activityOf(event))
      if (list.length > maxEvents) list = list.slice(-maxEvents / 2)
      touch()
    },
  }
}

/** Changes per minute over the last half hour, oldest first. */
export const ratesOf = (list: readonly Activity[], nowMs: number, keyId?: string): number[] => {
  const rates = new Array<number>(activityMinutes).fill(0)
  for (let index = list.length - 1; index >= 0; index--) {
    const activity = list[index]!
    const minutesAgo = Math.floor((nowMs - activity.atMs) / 60_000)
    if (minutesAgo >= activityMinutes) break
    if (keyId !== undefined && activity.keyId !== keyId) continue
    rates[activityMinutes - 1 - Math.max(0, minutesAgo)]! += 1
  }
  return rates
}
