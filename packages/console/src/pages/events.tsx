import { type ReactNode, Suspense, useState } from 'react'
import { actorOf } from '../api/actor'
import { hasScope } from '../api/permissions'
import { Button } from '../components/button'
import { numberText } from '../components/count'
import { Icon } from '../components/icons'
import { Picker } from '../components/menu'
import { Empty, Failure, Skeletons } from '../components/states'
import { narrow, useMedia } from '../components/use-media'
import { VirtualRows } from '../components/virtual/virtual-rows'
import { EventLine } from '../events/event-line'
import { ActorFilter, TimeFilter, useActors } from '../events/log-filters'
import { useEventTail } from '../events/use-event-tail'
import { useKeys } from '../keyboard/use-keys'
import { Page } from '../layout/page'
import { ProjectFilter, useFilterProject } from '../projects/project-filter'
import { listOf, useQuery, useSetQuery } from '../query'
import { useObservable } from '../store/base/observable'
import { useConsole } from '../store/console'
import { useUsers } from '../store/records'
import '../styles/events.css'
import '../styles/log.css'
import { onDemand } from '../components/on-demand'

const UndoDialog = onDemand(() => import('../events/undo-dialog').then(({ UndoDialog }) => ({ default: UndoDialog })))

const kinds = ['task.*', 'comment.*', 'knowledge.*', 'project.*', 'user.*', 'key.*', 'webhook.*']
const rowPx = 34
/** With what changed on a second line. */
const narrowRowPx = 56

export const EventsPage = (): ReactNode => {
  const { me } = useConsole()
  const users = useUsers()
  const isAdmin = hasScope(useObservable(me), 'admin')
  const query = useQuery()
  const setQuery = useSetQuery()
  const isNarrow = useMedia(narrow)
  /** New events wait, so that the list stands still. */
  const [isHeld, setIsHeld] = useState(false)
  const [subject, setSubject] = useState(query.subject ?? '')
  const actors = useActors()
  const project = useFilterProject()
  const { events, error, waiting, hasMore, readMore, reload } = useEventTail(
    {
      actor: query.actor,
      type: query.type,
      subject: query.subject,
      projectId: project?.id,
      since: query.since,
      until: query.until,
    },
    { isHeld },
  )
  const first = events?.[0]?.actor
  const actorName = query.actor
    ? (actors.get(query.actor)?.name ?? (first && actorOf(users, first).name) ?? query.actor)
    : undefined
  const types = listOf(query.type)

  useKeys({ ' ': () => setIsHeld((value) => !value) })

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
          <ActorFilter actors={actors} {...(actorName && { name: actorName })} />
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
          <ProjectFilter />
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
          <TimeFilter />
          <Button kind="quiet" onClick={() => setIsHeld((value) => !value)}>
            {isHeld ? `Show new events${waiting > 0 ? ` · ${numberText(waiting)}` : ''}` : 'Hold new events'}
          </Button>
        </>
      }
    >
      {error && !events ? (
        <Failure error={error} what="the events" onRetry={reload} />
      ) : !events ? (
        <div className="page-content">
          <Skeletons />
        </div>
      ) : events.length === 0 ? (
        <Empty icon="events" title="No events">
          <p>Every change by a person or an agent that matches the filters shows up here as it happens.</p>
          {hasMore && <Button onClick={() => void readMore()}>Look further back</Button>}
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
      {query.undo && query.actor && isAdmin && (
        <Suspense>
          <UndoDialog
            keyId={query.actor}
            name={actorName ?? query.actor}
            since={query.undo}
            onSince={(since) => setQuery({ undo: since }, { replace: true })}
            onClose={() => setQuery({ undo: undefined }, { replace: true })}
          />
        </Suspense>
      )}
    </Page>
  )
}
