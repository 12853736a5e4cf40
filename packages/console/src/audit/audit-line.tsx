import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { AuditEntry } from 'worklore-client'
import { actorOf } from '../api/actor'
import { countOf, numberText } from '../components/count'
import { exactTime } from '../components/time'
import { itemLink } from '../item-link'
import { withTask } from '../query'
import { type Console, useConsole } from '../store/console'
import { useKeyRecords, useProjects, useUsers } from '../store/records'
import { fieldName } from '../tasks/change-text'

type Names = Pick<Console, 'keys' | 'users' | 'projects'>

const taskId = /^[A-Z][A-Z0-9]{1,9}-\d+$/

/** Of what has no name. */
const kindNames: Record<string, string> = {
  key: 'a key',
  prj: 'a project',
  ses: 'a console session',
  tra: 'a record in the trash',
  usr: 'a deleted user',
  whk: 'a webhook',
}

const kindName = (id: string): string | undefined => (/^[a-z]{3}_/.test(id) ? kindNames[id.slice(0, 3)] : undefined)

/** What was restored from the trash. A record that is part of a task or of a project is named `<task or project>/<record>`. */
const Restored = ({ kind, record, id }: { kind: string; record: string; id: string }): ReactNode => {
  const projects = useProjects()
  const shared = { className: 'event-subject', title: id, activeProps: {} }
  const slash = record.indexOf('/')
  if (kind === 'project')
    return (
      <span className="event-subject" title={id}>
        {projects.get(record)?.name ?? kindNames.prj}
      </span>
    )
  if (kind === 'knowledge') {
    const key = record.slice(slash + 1)
    return (
      <Link {...itemLink(key, projects.get(record.slice(0, slash))?.key)} {...shared}>
        {key}
      </Link>
    )
  }
  const [taskId = record] = record.split('/')
  return (
    <Link to="." search={withTask(taskId)} {...shared}>
      {kind === 'task' ? taskId : `${kind} of ${taskId}`}
    </Link>
  )
}

/** What was acted on, as a link where it has a page. */
const Subject = ({ entry: { action, subject, details } }: { entry: AuditEntry }): ReactNode => {
  const { me } = useConsole()
  const keys = useKeyRecords()
  const users = useUsers()
  const projects = useProjects()
  if (subject === null) return <span className="event-subject" />
  const shared = { className: 'event-subject', title: subject, activeProps: {} }
  const name = typeof details.name === 'string' ? details.name : undefined
  if (subject.startsWith('key_')) {
    return (
      <Link to="/agents/$keyId" params={{ keyId: subject }} {...shared}>
        {keys.get(subject)?.name ?? name ?? kindNames.key}
      </Link>
    )
  }
  if (subject.startsWith('whk_')) {
    return (
      <Link to="/webhooks/$webhookId" params={{ webhookId: subject }} {...shared}>
        {typeof details.url === 'string' ? details.url : kindNames.whk}
      </Link>
    )
  }
  if (subject.startsWith('usr_')) {
    const user = users.get(subject)
    return (
      <Link to="/people" search={{ q: user?.handle } as never} {...shared}>
        {user?.name ?? kindNames.usr}
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
  if (action === 'trash.restored') {
    return <Restored kind={String(details.kind)} record={String(details.record)} id={subject} />
  }
  if (subject === me.get().tenant.id) {
    return (
      <span className="event-subject" title={subject}>
        {/\.(paused|resumed)$/.test(action) ? 'everything' : me.get().tenant.name}
      </span>
    )
  }
  return (
    <span className="event-subject" title={subject}>
      {name ?? kindName(subject) ?? subject}
    </span>
  )
}

const timePattern = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const valueText = (value: unknown, names: Names): string => {
  if (value === null) return 'none'
  if (Array.isArray(value)) return value.map((each) => valueText(each, names)).join(', ') || 'none'
  if (isObject(value))
    return Object.entries(value)
      .map((field) => fieldText(field, names))
      .join(', ')
  const text = String(value)
  if (timePattern.test(text)) return exactTime(text)
  const { keys, users, projects } = names
  return (keys.get(text) ?? users.get(text) ?? projects.get(text))?.name ?? kindName(text) ?? text
}

const fieldText = ([name, value]: [string, unknown], names: Names): string =>
  name === 'paused' && isObject(value)
    ? `paused: “${String(value.reason)}”`
    : `${fieldName(name)} ${valueText(value, names)}`

/** The console's own requests by what they did. */
const requestText = (id: string): string => {
  if (id.startsWith('bulk_')) return `a change of several tasks (${id})`
  if (id.startsWith('undo-')) return `an undo (${id})`
  return id.startsWith('console-') ? `an answer (${id})` : `request ${id}`
}

const undoneText = ({ requestId, claim, worker }: Record<string, unknown>): string => {
  if (typeof requestId === 'string') return requestText(requestId)
  if (typeof claim === 'string') return `what was done under a claim of ${claim.split('.')[0]}`
  return typeof worker === 'string' ? `what worker ${worker} did` : 'what this key did'
}

const undoTexts = ({ details }: AuditEntry): string[] => {
  const { since, until, undone, conflicts } = details
  const period = [
    ...(typeof since === 'string' ? [` since ${exactTime(since)}`] : []),
    ...(typeof until === 'string' ? [` until ${exactTime(until)}`] : []),
  ]
  return [
    `undid ${undoneText(details)}${period.join('')}`,
    countOf(Number(undone), 'record'),
    ...(Number(conflicts) > 0 ? [countOf(Number(conflicts), 'conflict')] : []),
  ]
}

const detailsOf = (entry: AuditEntry, names: Names): string =>
  [
    ...(entry.action === 'undo.applied'
      ? undoTexts(entry)
      : Object.entries(entry.details)
          .filter(([name, value]) => value !== null && value !== undefined && name !== 'record')
          .map((field) => fieldText(field, names))),
    `by ${entry.via}`,
    ...(entry.address ? [`from ${entry.address}`] : []),
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
