import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type ChangeEvent, subjectOf } from 'worklore-client'
import { actorOf } from '../api/actor'
import { clockTime, exactTime } from '../components/time'
import { itemLink } from '../item-link'
import { plainLine } from '../markdown/plain-text'
import { withTask } from '../query'
import { useProjects, useUsers } from '../store/records'
import { ChangeText } from '../tasks/change-text'

/** Fields that change with everything and say nothing. */
const silent = new Set(['updatedAt', 'version', 'updatedBy', 'claim', 'attempts', 'renewedAt', 'position'])
const shownChanges = 3
const excerptLength = 160

const nameIn = ({ data }: ChangeEvent): string | undefined => ('name' in data ? data.name : undefined)

const Subject = ({ event }: { event: ChangeEvent }): ReactNode => {
  const projects = useProjects()
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
        {nameIn(event) ?? subject}
      </Link>
    )
  }
  return <span className="event-subject">{nameIn(event) ?? subject}</span>
}

const changesOf = (event: ChangeEvent): [field: string, from: unknown, to: unknown][] => {
  const after: Record<string, unknown> = { ...event.data }
  return Object.entries(event.previous ?? {})
    .filter(([field]) => !silent.has(field))
    .map(([field, from]) => [field, from, after[field]])
}

/** Returns the title of the record that changed, or the start of its text. */
const textOf = ({ data }: ChangeEvent): string => {
  if ('title' in data && data.title) return data.title
  return 'body' in data ? plainLine(data.body?.slice(0, excerptLength) ?? '') : ''
}

export const EventLine = ({ event }: { event: ChangeEvent }): ReactNode => {
  const users = useUsers()
  const changes = changesOf(event)
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
          : textOf(event)}
      </span>
    </div>
  )
}
