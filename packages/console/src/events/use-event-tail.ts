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
}

const matchesType = (type: string, wanted: string): boolean =>
  wanted.split(',').some((each) => (each.endsWith('.*') ? type.startsWith(each.slice(0, -1)) : type === each))

const matches = (event: ChangeEvent, { actor, type, subject }: EventFilter): boolean =>
  (!actor || event.actor.keyId === actor) &&
  (!type || matchesType(event.type, type)) &&
  (!subject || subjectOf(event) === subject || (event.data as { id?: string }).id === subject)

/** The log, newest first, with what happens now on top unless it is paused. */
export const useEventTail = (filter: EventFilter, isPaused: boolean) => {
  const { client, onEvent, generation } = useConsole()
  const missed = useObservable(generation)
  const [events, setEvents] = useState<ChangeEvent[]>()
  const [waiting, setWaiting] = useState<ChangeEvent[]>([])
  const [error, setError] = useState<unknown>()
  const [before, setBefore] = useState<number | null>(null)
  const paused = useRef(isPaused)
  paused.current = isPaused
  const { actor, type, subject } = filter

  const read = useCallback(
    (from?: number, signal?: AbortSignal) =>
      client.events.newest(
        {
          limit: eventsPerPage,
          ...(from !== undefined && { before: from }),
          ...(actor && { actor }),
          ...(subject && { subject }),
          ...(type && { types: type.split(',') }),
        },
        { signal },
      ),
    [client, actor, subject, type],
  )

  // biome-ignore lint/correctness/useExhaustiveDependencies: read again when changes were missed
  useEffect(() => {
    const controller = new AbortController()
    setWaiting([])
    read(undefined, controller.signal).then(
      ({ data, pagination }) => {
        setEvents(data)
        setBefore(pagination.nextBefore)
        setError(undefined)
      },
      (cause) => {
        if (!controller.signal.aborted) setError(cause)
      },
    )
    return () => controller.abort()
  }, [read, missed])

  // Events come many at a time; the page follows once per frame.
  useEffect(() => {
    let arrived: ChangeEvent[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    const flush = (): void => {
      const batch = arrived.reverse()
      arrived = []
      timer = undefined
      const add = (list: ChangeEvent[] = []): ChangeEvent[] => {
        const newest = list[0]?.sequence ?? 0
        return [...batch.filter(({ sequence }) => sequence > newest), ...list].slice(0, maxEvents)
      }
      if (paused.current) setWaiting(add)
      else setEvents(add)
    }
    const stop = onEvent((event) => {
      if (!matches(event, { actor, type, subject })) return
      arrived.push(event)
      timer ??= setTimeout(flush, 50)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [onEvent, actor, type, subject])

  useEffect(() => {
    if (isPaused) return
    setWaiting((list) => {
      if (list.length > 0) setEvents((now = []) => [...list, ...now].slice(0, maxEvents))
      return []
    })
  }, [isPaused])

  return {
    events,
    error,
    waiting: waiting.length,
    hasMore: before !== null && (events?.length ?? 0) < maxEvents,
    readMore: async (): Promise<void> => {
      if (before === null) return
      const { data, pagination } = await read(before)
      setEvents((now = []) => [...now, ...data])
      setBefore(pagination.nextBefore)
    },
  }
}
