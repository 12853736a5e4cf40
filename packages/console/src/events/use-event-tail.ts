import { useCallback, useEffect, useRef, useState } from 'react'
import { type ChangeEvent, subjectOf } from 'worklore-client'
import { createThrottle } from '../store/base/throttle'
import { useConsole } from '../store/console'
import { type EventTail, withNewer } from './event-tail'

const eventsPerPage = 100
/** Older events are dropped from the page, never from the log. */
const maxEvents = 3_000
/** Collects events that come together. */
const flushDelayMs = 50

interface EventFilter {
  actor: string | undefined
  type: string | undefined
  subject: string | undefined
  projectId: string | undefined
  since: string | undefined
  until: string | undefined
}

const matchesType = (type: string, wanted: string): boolean =>
  wanted.split(',').some((each) => (each.endsWith('.*') ? type.startsWith(each.slice(0, -1)) : type === each))

const matches = (event: ChangeEvent, { actor, type, subject, projectId, since, until }: EventFilter): boolean =>
  (!projectId || event.projectId === projectId) &&
  (!since || Date.parse(event.timestamp) >= Date.parse(since)) &&
  (!until || Date.parse(event.timestamp) < Date.parse(until)) &&
  (!actor || event.actor.keyId === actor) &&
  (!type || matchesType(event.type, type)) &&
  (!subject || subjectOf(event) === subject || ('id' in event.data && event.data.id === subject))

/**
 * The log, newest first, with what happens now on top unless it is held back. With `keepsAsked`, what comes in takes the
 * place of the oldest, so that there are never more events than were asked for.
 */
export const useEventTail = (
  filter: EventFilter,
  { isHeld = false, keepsAsked = false }: { isHeld?: boolean; keepsAsked?: boolean },
) => {
  const { client, onEvent, onResync } = useConsole()
  const [tail, setTail] = useState<EventTail>()
  const asked = useRef(eventsPerPage)
  const [waiting, setWaiting] = useState<ChangeEvent[]>([])
  const [error, setError] = useState<unknown>()
  /** Events that arrived since the current read began, newest first; undefined if no read is in progress. */
  const arrivedMeanwhile = useRef<ChangeEvent[]>(undefined)
  const held = useRef(isHeld)
  useEffect(() => {
    held.current = isHeld
  }, [isHeld])
  const { actor, type, subject, projectId, since, until } = filter
  const reading = useRef<AbortController>(undefined)

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

  const reload = useCallback((): void => {
    reading.current?.abort()
    const controller = new AbortController()
    reading.current = controller
    const arrived: ChangeEvent[] = []
    arrivedMeanwhile.current = arrived
    setWaiting([])
    setError(undefined)
    read(undefined, controller.signal).then(
      ({ data, pagination }) => {
        if (controller.signal.aborted) return
        arrivedMeanwhile.current = undefined
        asked.current = eventsPerPage
        setTail(withNewer({ events: data, before: pagination.nextBefore }, arrived, maxEvents))
      },
      (cause) => {
        if (controller.signal.aborted) return
        arrivedMeanwhile.current = undefined
        setTail((known) => known && withNewer(known, arrived, maxEvents))
        setError(cause)
      },
    )
  }, [read])
  useEffect(() => {
    reload()
    const stop = onResync(reload)
    return () => {
      stop()
      reading.current?.abort()
    }
  }, [reload, onResync])

  const prepend = useCallback(
    (newer: readonly ChangeEvent[]) =>
      setTail((known) => known && withNewer(known, newer, keepsAsked ? asked.current : maxEvents)),
    [keepsAsked],
  )

  // Events come many at a time; the page follows once per frame.
  useEffect(() => {
    let arrived: ChangeEvent[] = []
    const flush = (): void => {
      const batch = arrived.reverse()
      arrived = []
      if (held.current) setWaiting((list) => [...batch, ...list].slice(0, maxEvents))
      else if (arrivedMeanwhile.current) arrivedMeanwhile.current.unshift(...batch)
      else prepend(batch)
    }
    const flushes = createThrottle(flush, { delayMs: flushDelayMs })
    const stop = onEvent((event) => {
      if (!matches(event, { actor, type, subject, projectId, since, until })) return
      arrived.push(event)
      flushes.ask()
    })
    return () => {
      stop()
      flushes.end()
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
    reload,
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
