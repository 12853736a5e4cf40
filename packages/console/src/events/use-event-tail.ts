import { useCallback, useEffect, useRef, useState } from 'react'
import type { ChangeEvent } from 'worklore-client'
import { subjectOf } from '../store/activity'
import { useConsole } from '../store/console'
import { useObservable } from '../store/observable'

const eventsPerPage = 100
/** Older events are dropped from the page, never from the log. */
const maxEvents = 3_000

interface EventFilter {
  actor: string | undefined
  type: string | undefined
  subject: string | undefined
  projectId: string | undefined
  since: string | undefined
  until: string | undefined
}

/** The newest events, and where to go on reading older ones; null where there are none. */
interface Tail {
  events: readonly ChangeEvent[]
  before: number | null
}

const newestOf = ({ events, before }: Tail, count: number): Tail =>
  events.length > count ? { events: events.slice(0, count), before: events[count - 1]!.sequence } : { events, before }

const matchesType = (type: string, wanted: string): boolean =>
  wanted.split(',').some((each) => (each.endsWith('.*') ? type.startsWith(each.slice(0, -1)) : type === each))

const matches = (event: ChangeEvent, { actor, type, subject, projectId, since, until }: EventFilter): boolean =>
  (!projectId || event.projectId === projectId) &&
  (!since || Date.parse(event.timestamp) >= Date.parse(since)) &&
  (!until || Date.parse(event.timestamp) < Date.parse(until)) &&
  (!actor || event.actor.keyId === actor) &&
  (!type || matchesType(event.type, type)) &&
  (!subject || subjectOf(event) === subject || (event.data as { id?: string }).id === subject)

/**
 * The log, newest first, with what happens now on top unless it is held back. With `keepsAsked`, what comes in takes the
 * place of the oldest, so that there are never more events than were asked for.
 */
export const useEventTail = (
  filter: EventFilter,
  { isHeld = false, keepsAsked = false }: { isHeld?: boolean; keepsAsked?: boolean },
) => {
  const { client, onEvent, generation } = useConsole()
  const missed = useObservable(generation)
  const [tail, setTail] = useState<Tail>()
  const asked = useRef(eventsPerPage)
  const [waiting, setWaiting] = useState<ChangeEvent[]>([])
  const [error, setError] = useState<unknown>()
  const held = useRef(isHeld)
  held.current = isHeld
  const { actor, type, subject, projectId, since, until } = filter
  const [attempt, setAttempt] = useState(0)

  const read = useCallback(
    (from?: number, signal?: AbortSignal) =>
      client.events.newest(
        {
          limit: eventsPerPage,
          ...(from !== undefined && { before: from }),
          ...(actor && { actor }),
          ...(subject && { subject }),
          ...(projectId && { projectId }),
          ...(since && { since }),
          ...(until && { until }),
          ...(type && { types: type.split(',') }),
        },
        { signal },
      ),
    [client, actor, subject, type, projectId, since, until],
  )

  // biome-ignore lint/correctness/useExhaustiveDependencies: read again when changes were missed
  useEffect(() => {
    const controller = new AbortController()
    setWaiting([])
    setError(undefined)
    read(undefined, controller.signal).then(
      ({ data, pagination }) => {
        asked.current = eventsPerPage
        setTail({ events: data, before: pagination.nextBefore })
      },
      (cause) => {
        if (!controller.signal.aborted) setError(cause)
      },
    )
    return () => controller.abort()
  }, [read, missed, attempt])

  const prepend = useCallback(
    (newer: readonly ChangeEvent[]) =>
      setTail(({ events, before } = { events: [], before: null }) => {
        const newest = events[0]?.sequence ?? 0
        const all = [...newer.filter(({ sequence }) => sequence > newest), ...events]
        return newestOf({ events: all, before }, keepsAsked ? asked.current : maxEvents)
      }),
    [keepsAsked],
  )

  // Events come many at a time; the page follows once per frame.
  useEffect(() => {
    let arrived: ChangeEvent[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    const flush = (): void => {
      const batch = arrived.reverse()
      arrived = []
      timer = undefined
      if (held.current) setWaiting((list) => [...batch, ...list].slice(0, maxEvents))
      else prepend(batch)
    }
    const stop = onEvent((event) => {
      if (!matches(event, { actor, type, subject, projectId, since, until })) return
      arrived.push(event)
      timer ??= setTimeout(flush, 50)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [onEvent, prepend, actor, type, subject, projectId, since, until])

  useEffect(() => {
    if (isHeld || waiting.length === 0) return
    prepend(waiting)
    setWaiting([])
  }, [isHeld, waiting, prepend])

  return {
    events: tail?.events,
    error,
    reload: () => setAttempt((value) => value + 1),
    waiting: waiting.length,
    hasMore: tail !== undefined && tail.before !== null && tail.events.length < maxEvents,
    readMore: async (): Promise<void> => {
      if (!tail || tail.before === null) return
      asked.current += eventsPerPage
      const { data, pagination } = await read(tail.before)
      setTail((now) =>
        now?.before === tail.before ? { events: [...now.events, ...data], before: pagination.nextBefore } : now,
      )
    },
  }
}
