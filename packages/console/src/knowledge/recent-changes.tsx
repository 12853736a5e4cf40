import { Link } from '@tanstack/react-router'
import { memo, type ReactNode, useMemo } from 'react'
import type { KnowledgeItem } from 'worklore-client'
import { actorOf } from '../api/actor'
import { Button } from '../components/button'
import { countOf } from '../components/count'
import { changedLines } from '../components/diff/diff-lines'
import { Failure, Skeletons } from '../components/states'
import { Time } from '../components/time'
import { useEventTail } from '../events/use-event-tail'
import { ItemAnchor } from '../lifecycle/item-anchor'
import { plainLine } from '../markdown/plain-text'
import type { KnowledgeEvent } from '../store/knowledge'
import { useProjects, useUsers } from '../store/records'
import { ChangeText } from '../tasks/change-text'
import '../styles/recent-changes.css'

const excerptLength = 240
const shownLines = 6
/** Longer texts are not compared: a list of changes is no place to wait. */
const maxComparedLength = 50_000

const verbs: Record<KnowledgeEvent['type'], string> = {
  'knowledge.created': 'written',
  'knowledge.updated': 'changed',
  'knowledge.deleted': 'deleted',
  'knowledge.moved': 'moved',
  'knowledge.restored': 'restored',
  'knowledge.stale': 'made stale',
}

type Item = Partial<KnowledgeItem>

const Excerpt = ({ content }: { content: string }): ReactNode => {
  const text = plainLine(content.slice(0, 4 * excerptLength))
  return <p className="recent-excerpt">{text.length > excerptLength ? `${text.slice(0, excerptLength)}…` : text}</p>
}

/** The first lines that differ. */
const ShortDiff = ({ before, after }: { before: string; after: string }): ReactNode => {
  const lines = useMemo(() => changedLines(before, after), [before, after])
  return (
    <div className="recent-diff">
      {lines.slice(0, shownLines).map(({ kind, text }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
        <div key={index} className={`diff-line ${kind}`}>
          <span className="diff-mark" aria-hidden="true">
            {kind === 'added' ? '+' : '−'}
          </span>
          <span className="visually-hidden">{kind}: </span>
          <span className="truncate">{text || ' '}</span>
        </div>
      ))}
      {lines.length > shownLines && (
        <p className="muted">and {countOf(lines.length - shownLines, 'other changed line')}</p>
      )}
    </div>
  )
}

const What = ({ event }: { event: KnowledgeEvent }): ReactNode => {
  const data = event.data as Item
  const previous = (event.previous ?? {}) as Item
  const { content: before, ...rest } = previous
  const fields = (Object.keys(rest) as (keyof Item)[]).filter(
    (field) => !['version', 'updatedAt', 'updatedBy', 'projectId', 'trust', 'stale'].includes(field) && field in data,
  )
  return (
    <>
      {fields.length > 0 && (
        <p className="recent-fields">
          {fields.map((field) => (
            <ChangeText key={field} field={field} from={previous[field]} to={data[field]} />
          ))}
        </p>
      )}
      {typeof data.content === 'string' &&
        (typeof before === 'string' ? (
          before.length + data.content.length <= maxComparedLength && <ShortDiff before={before} after={data.content} />
        ) : event.type === 'knowledge.created' || event.type === 'knowledge.restored' ? (
          <Excerpt content={data.content} />
        ) : null)}
    </>
  )
}

/** Rendered once: an event does not change. */
const Change = memo(({ event }: { event: KnowledgeEvent }): ReactNode => {
  const projects = useProjects()
  const users = useUsers()
  const { key, projectId, title } = event.data
  return (
    <li>
      <p className="recent-head">
        {event.type === 'knowledge.deleted' ? (
          <s>{title ?? key}</s>
        ) : (
          <ItemAnchor itemKey={key} projectId={projectId}>
            {title ?? key}
          </ItemAnchor>
        )}{' '}
        <span className="muted">
          {verbs[event.type]} by{' '}
          <Link to="/agents/$keyId" params={{ keyId: event.actor.keyId }} className="event-actor">
            {actorOf(users, event.actor).name}
          </Link>{' '}
          · <Time at={event.timestamp} /> · {projects.get(projectId ?? '')?.name ?? 'Shared'}
          {title && ` · ${key}`}
        </span>
      </p>
      <What event={event} />
    </li>
  )
})

/** The newest changes of knowledge, live. */
export const RecentChanges = (): ReactNode => {
  const filter = { type: 'knowledge.*', actor: undefined, subject: undefined, projectId: undefined }
  const { events, error, hasMore, readMore, reload } = useEventTail(
    { ...filter, since: undefined, until: undefined },
    { keepsAsked: true },
  )
  if (error && !events) return <Failure error={error} what="the recent changes" onRetry={reload} />
  return (
    <section className="recent-changes" aria-labelledby="recent-changes">
      <h2 id="recent-changes">Recent changes</h2>
      {!events ? (
        <Skeletons />
      ) : events.length === 0 ? (
        <p className="muted">Nothing changed lately. Choose an item to read it.</p>
      ) : (
        <ol className="recent-list">
          {(events as KnowledgeEvent[]).map((event) => (
            <Change key={event.sequence} event={event} />
          ))}
        </ol>
      )}
      {hasMore && <Button onClick={() => void readMore()}>Show older changes</Button>}
    </section>
  )
}
