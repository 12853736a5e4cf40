import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { AuditEntry } from 'worklore-client'
import { actorOf } from '../api/actor'
import { numberText } from '../components/count'
import { exactTime } from '../components/time'
import { itemLink } from '../item-link'
import { withTask } from '../query'
import { type Console, useConsole } from '../store/console'

type Names = Pick<Console, 'keys' | 'users' | 'projects'>

const taskId = /^[A-Z][A-Z0-9]{1,9}-\d+$/

/** What was acted on, as a link where it has a page. */
const Subject = ({ entry: { action, subject, details } }: { entry: AuditEntry }): ReactNode => {
  const { keys, users, projects } = useConsole()
  if (subject === null) return <span className="event-subject" />
  const shared = { className: 'event-subject', title: subject, activeProps: {} }
  const name = typeof details.name === 'string' ? details.name : undefined
  if (subject.startsWith('key_')) {
    return (
      <Link to="/agents/$keyId" params={{ keyId: subject }} {...shared}>
        {keys.get(subject)?.name ?? name ?? subject}
      </Link>
    )
  }
  if (subject.startsWith('whk_')) {
    return (
      <Link to="/webhooks/$webhookId" params={{ webhookId: subject }} {...shared}>
        {subject}
      </Link>
    )
  }
  if (subject.startsWith('usr_')) {
    const user = users.get(subject)
    return (
      <Link to="/people" search={{ q: user?.handle } as never} {...shared}>
        {user?.name ?? 'deleted user'}
      </Link>
    )
  }
  const project = projects.get(subject)
  if (project) {
    return (
      <Link to="/p/$project/board" params={{ project: project.key }} {...shared}>
        {project.name}
      </Link>
    )
  }
  if (taskId.test(subject)) {
    return (
      <Link to="." search={withTask(subject)} {...shared}>
        {subject}
      </Link>
    )
  }
  if (action === 'history.restored') {
    return (
      <Link {...itemLink(subject, undefined)} {...shared}>
        {subject}
      </Link>
    )
  }
  return (
    <span className="event-subject" title={subject}>
      {subject}
    </span>
  )
}

/** Ids of what has a name, by that name. */
const nameOf = (id: unknown, { keys, users, projects }: Names): string | undefined =>
  typeof id === 'string' ? (keys.get(id)?.name ?? users.get(id)?.name ?? projects.get(id)?.name) : undefined

const valueText = (value: unknown, names: Names): string =>
  Array.isArray(value)
    ? value.map((each) => valueText(each, names)).join(', ')
    : typeof value === 'object'
      ? JSON.stringify(value)
      : (nameOf(value, names) ?? String(value))

const detailsOf = ({ details, address, via }: AuditEntry, names: Names): string =>
  [
    ...Object.entries(details)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => `${nameOf(value, names) ? name.replace(/Id$/, '') : name} ${valueText(value, names)}`),
    `by ${via}`,
    ...(address ? [`from ${address}`] : []),
  ].join(' · ')

export const AuditLine = ({ entry }: { entry: AuditEntry }): ReactNode => {
  const names = useConsole()
  const { users } = names
  const { action, actor, count, at, lastAt } = entry
  const isRefused = action === 'auth.failed' || action === 'scope.refused'
  const text = detailsOf(entry, names)
  return (
    <div className="event-line audit-line">
      <time
        className="num"
        dateTime={lastAt}
        title={count > 1 ? `${exactTime(at)} to ${exactTime(lastAt)}` : undefined}
      >
        {exactTime(lastAt)}
      </time>
      <span className={isRefused ? 'event-type refused' : 'event-type'}>
        {action}
        {count > 1 && <b className="num"> × {numberText(count)}</b>}
      </span>
      {actor?.keyId.startsWith('key_') ? (
        <Link
          to="/agents/$keyId"
          params={{ keyId: actor.keyId }}
          className="event-actor truncate"
          title={actor.keyName}
        >
          {actorOf(users, actor).name}
        </Link>
      ) : (
        <span className="event-actor truncate muted">{actor ? actorOf(users, actor).name : 'unknown'}</span>
      )}
      <Subject entry={entry} />
      <span className="event-text truncate" title={text}>
        {text}
      </span>
    </div>
  )
}
