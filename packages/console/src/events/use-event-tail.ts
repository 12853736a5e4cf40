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

const matchesType = (type: string, wanted: string): boolean =>
  wanted.split(',').some((each) => (each.endsWith('.*') ? type.startsWith(each.slice(0, -1)) : type === each))

const matches = (event: ChangeEvent, { actor, type, subject, projectId, since, until }: EventFilter): boolean =>
  (!projectId || event.projectId === projectId) &&
  (!since || Date.parse(event.timestamp) >= Date.parse(since)) &&
  (!until || Date.parse(event.timestamp) < Date.parse(until)) &&
  (!actor || event.actor.keyId === actor) &&
  (!type || matchesType(event.type, type)) &&
  (!subject || subjectOf(event) === subject || (event.data as { id?: string }).id === subject)

/** The log, newest first, with what happens now on top unless it is held back. */
export const useEventTail = (filter: EventFilter, isHeld: boolean) => {
  const { client, onEvent, generation } = useConsole()
  const missed = useObservable(generation)
  const [events, setEvents] = useState<ChangeEvent[]>()
  const [waiting, setWaiting] = useState<ChangeEvent[]>([])
  const [error, setError] = useState<unknown>()
  const [before, setBefore] = useState<number | null>(null)
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
        setEvents(data)
        setBefore(pagination.nextBefore)
      },
      (cause) => {
        if (!controller.signal.aborted) setError(cause)
      },
    )
    return () => controller.abort()
  }, [read, missed, attempt])

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
      if (held.current) setWaiting(add)
      else setEvents(add)
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
  }, [onEvent, actor, type, subject, projectId, since, until])

  useEffect(() => {
    if (isHeld) return
    setWaiting((list) => {
      if (list.length > 0) setEvents((now = []) => [...list, ...now].slice(0, maxEvents))
      return []
    })
  }, [isHeld])

  return {
    events,
    error,
    reload: () => setAttempt((value) => value + 1),
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
