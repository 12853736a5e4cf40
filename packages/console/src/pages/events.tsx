import { type ReactNode, Suspense, useEffect, useState, useSyncExternalStore } from 'react'
import { hasScope } from '../api/permissions'
import { Button } from '../components/button'
import { numberText } from '../components/count'
import { Icon } from '../components/icons'
import { Picker } from '../components/menu'
import { Empty, Failure, Skeletons } from '../components/states'
import { VirtualRows } from '../components/virtual-rows'
import { EventLine } from '../events/event-line'
import { useEventTail } from '../events/use-event-tail'
import { useKeys } from '../keyboard/use-keys'
import { Page } from '../layout/page'
import { listOf, useQuery, useSetQuery } from '../query'
import { useConsole } from '../store/console'
import { useObservable } from '../store/observable'
import '../styles/list.css'
import '../styles/events.css'
import { onDemand } from '../components/on-demand'

const UndoDialog = onDemand(() => import('../events/undo-dialog').then(({ UndoDialog }) => ({ default: UndoDialog })))

const kinds = ['task.*', 'comment.*', 'knowledge.*', 'project.*', 'user.*', 'key.*', 'webhook.*']
const rowPx = 34
/** With what changed on a second line. */
const narrowRowPx = 56

/** As in the style sheets. */
const narrow = matchMedia('(max-width: 760px)')

const subscribe = (listener: () => void): (() => void) => {
  narrow.addEventListener('change', listener)
  return () => narrow.removeEventListener('change', listener)
}

/** Whether the window is as narrow as a phone, for what style sheets cannot decide. */
const useIsNarrow = (): boolean => useSyncExternalStore(subscribe, () => narrow.matches)

export const EventsPage = (): ReactNode => {
  const { activity, keys, me: meNow } = useConsole()
  const isAdmin = hasScope(useObservable(meNow), 'admin')
  const query = useQuery()
  const setQuery = useSetQuery()
  const isNarrow = useIsNarrow()
  const [isPaused, setIsPaused] = useState(false)
  const [subject, setSubject] = useState(query.subject ?? '')
  const keyList = useObservable(keys.list)
  useObservable(activity.revision)
  const { events, error, waiting, hasMore, readMore } = useEventTail(
    { actor: query.actor, type: query.type, subject: query.subject },
    isPaused,
  )
  useEffect(() => {
    activity.load()
    if (isAdmin && !keys.isLoaded.get()) keys.load().catch(() => undefined)
  }, [activity, keys, isAdmin])

  const actors = new Map(keyList.map(({ id, name }) => [id, name]))
  for (const { keyId, keyName } of activity.list()) if (!actors.has(keyId)) actors.set(keyId, keyName)
  const actorName = query.actor ? (actors.get(query.actor) ?? events?.[0]?.actor.keyName ?? query.actor) : undefined
  const types = listOf(query.type)

  useKeys({ ' ': () => setIsPaused((value) => !value) })

  return (
    <Page
      title="Events"
      actions={
        isAdmin &&
        query.actor && (
          <Button icon="undo" onClick={() => setQuery({ undo: '1' })} aria-label={`Undo changes by ${actorName}`}>
            <span className="desktop-only">Undo changes by {actorName}</span>
          </Button>
        )
      }
      toolbar={
        <>
          <Picker
            label="Actor"
            className="bordered"
            isSet={query.actor !== undefined}
            choices={[{ value: '', label: 'Anyone' }, ...[...actors].map(([value, label]) => ({ value, label }))]}
            selected={[query.actor ?? '']}
            onChoose={(actor) => setQuery({ actor: actor || undefined }, { replace: true })}
          >
            <Icon name="user" size={14} />
            {actorName ?? 'Actor'}
          </Picker>
          <Picker
            label="Type"
            className="bordered"
            isMultiple
            isSet={types.length > 0}
            choices={kinds.map((value) => ({ value, label: value }))}
            selected={types}
            onChoose={(value) => {
              const next = types.includes(value) ? types.filter((each) => each !== value) : [...types, value]
              setQuery({ type: next.join(',') || undefined }, { replace: true })
            }}
          >
            <Icon name="filter" size={14} />
            {types.length > 0 ? types.join(', ') : 'Type'}
          </Picker>
          <form
            className="search-input subject-filter"
            onSubmit={(event) => {
              event.preventDefault()
              setQuery({ subject: subject.trim() || undefined }, { replace: true })
            }}
          >
            <Icon name="search" size={14} />
            <input
              aria-label="Subject"
              placeholder="ACME-9, or a knowledge key"
              value={subject}
              onChange={(event) => setSubject(event.target.value)}
              onBlur={() => setQuery({ subject: subject.trim() || undefined }, { replace: true })}
            />
          </form>
          <Button
            kind="quiet"
            icon={isPaused ? 'play' : 'pause'}
            onClick={() => setIsPaused((value) => !value)}
            aria-pressed={isPaused}
          >
            {isPaused ? `Resume${waiting > 0 ? ` · ${numberText(waiting)} new` : ''}` : 'Pause'}
          </Button>
        </>
      }
    >
      {error && !events ? (
        <Failure error={error} what="the events" />
      ) : !events ? (
        <div className="page-content">
          <Skeletons />
        </div>
      ) : events.length === 0 ? (
        <Empty icon="events" title="No events">
          <p>Every change by a person or an agent shows up here as it happens.</p>
        </Empty>
      ) : (
        <VirtualRows
          label="Events, newest first"
          rows={hasMore ? [...events, null] : events}
          keyOf={(event) => (event ? String(event.sequence) : 'more')}
          rowPx={isNarrow ? narrowRowPx : rowPx}
          selected={null}
          className="events"
        >
          {(event) =>
            event ? (
              <EventLine event={event} />
            ) : (
              <div className="event-line">
                <Button kind="quiet" small onClick={() => void readMore()}>
                  Show older events
                </Button>
              </div>
            )
          }
        </VirtualRows>
      )}
      {query.undo === '1' && query.actor && isAdmin && (
        <Suspense>
          <UndoDialog
            keyId={query.actor}
            name={actorName ?? query.actor}
            onClose={() => setQuery({ undo: undefined }, { replace: true })}
          />
        </Suspense>
      )}
    </Page>
  )
}
