import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { ChangeEvent } from 'worklore-client'
import { actorOf } from '../api/actor'
import { clockTime, exactTime } from '../components/time'
import { itemLink } from '../item-link'
import { plainLine } from '../markdown/plain-text'
import { withTask } from '../query'
import { subjectOf } from '../store/activity'
import { useConsole } from '../store/console'
import { ChangeText } from '../tasks/change-text'

/** Fields that change with everything and say nothing. */
const silent = new Set(['updatedAt', 'version', 'updatedBy', 'claim', 'attempts', 'renewedAt', 'position'])
const shownChanges = 3
const excerptLength = 160

const Subject = ({ event }: { event: ChangeEvent }): ReactNode => {
  const { projects } = useConsole()
  const subject = subjectOf(event)
  const [kind] = event.type.split('.')
  if (kind === 'task' || kind === 'comment' || kind === 'question') {
    return (
      <Link to="." search={withTask(subject)} className="event-subject" activeProps={{}}>
        {subject}
      </Link>
    )
  }
  if (kind === 'knowledge') {
    return (
      <Link {...itemLink(subject, projects.get(event.projectId ?? '')?.key)} className="event-subject" activeProps={{}}>
        {subject}
      </Link>
    )
  }
  if (kind === 'key') {
    return (
      <Link to="/agents/$keyId" params={{ keyId: subject }} className="event-subject">
        {(event.data as { name?: string }).name ?? subject}
      </Link>
    )
  }
  return <span className="event-subject">{(event.data as { name?: string }).name ?? subject}</span>
}

const changesOf = (event: ChangeEvent): [field: string, from: unknown, to: unknown][] =>
  Object.entries(event.previous ?? {})
    .filter(([field]) => !silent.has(field))
    .map(([field, from]) => [field, from, (event.data as unknown as Record<string, unknown>)[field]])

export const EventLine = ({ event }: { event: ChangeEvent }): ReactNode => {
  const { users } = useConsole()
  const changes = changesOf(event)
  const { title, body } = event.data as { title?: string; body?: string }
  return (
    <div className="event-line">
      <span className="event-sequence num">{event.sequence}</span>
      <time className="num" dateTime={event.timestamp} title={exactTime(event.timestamp)}>
        {clockTime(event.timestamp)}
      </time>
      <span className="event-type" data-kind={event.type.split('.')[0]}>
        {event.type}
      </span>
      <Link
        to="/agents/$keyId"
        params={{ keyId: event.actor.keyId }}
        className="event-actor truncate"
        title={`${event.actor.keyName}, by ${event.via}`}
      >
        {actorOf(users, event.actor).name}
      </Link>
      <Subject event={event} />
      <span className="event-text truncate">
        {changes.length > 0
          ? changes
              .slice(0, shownChanges)
              .map(([field, from, to]) => <ChangeText key={field} field={field} from={from} to={to} />)
          : (title ?? plainLine(body?.slice(0, excerptLength) ?? ''))}
      </span>
    </div>
  )
}
