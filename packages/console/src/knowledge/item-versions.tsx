import { type ReactNode, useEffect, useEffectEvent, useState } from 'react'
import type { KnowledgeItem } from 'worklore-client'
import { actorOf } from '../api/actor'
import { errorText } from '../api/error-text'
import { Button } from '../components/button'
import { Diff } from '../components/diff/diff'
import { Failure, Skeletons } from '../components/states'
import { Time } from '../components/time'
import { usePages } from '../lifecycle/use-pages'
import { useConsole } from '../store/console'
import { useUsers } from '../store/records'

interface ItemVersionsProps {
  item: KnowledgeItem
  canWrite: boolean
  onRestored: (item: KnowledgeItem) => void
}

const entriesPerPage = 100

const verbs: Record<string, string> = {
  'knowledge.created': 'created',
  'knowledge.deleted': 'deleted',
  'knowledge.restored': 'restored',
  'knowledge.moved': 'moved',
  'knowledge.updated': 'changed',
}

/** What changed from one version to the next, and the way back. */
export const ItemVersions = ({ item, canWrite, onRestored }: ItemVersionsProps): ReactNode => {
  const { client, toasts } = useConsole()
  const users = useUsers()
  const { key, projectId } = item
  const [chosen, setChosen] = useState<number>()
  const { records, hasMore, error, reload, more, isLoadingMore } = usePages(
    (cursor, signal) =>
      client.history
        .list(
          {
            knowledge: key,
            ...(projectId && { projectId }),
            full: true,
            limit: entriesPerPage,
            ...(cursor && { cursor }),
          },
          { signal },
        )
        .then((page) => page),
    [key, projectId],
  )
  const onNewVersion = useEffectEvent((_version: number): void => {
    if (records) reload()
  })
  useEffect(() => onNewVersion(item.version), [item.version])
  if (error && !records) return <Failure error={error} what="the versions" onRetry={reload} />
  if (!records) return <Skeletons />
  // Without a project, the history of other projects' items with the same key comes along.
  const entries = records.filter((entry) => entry.projectId === projectId)
  const entry = entries.find(({ version }) => version === chosen) ?? entries[0]
  const content = entry?.changes.content as { from?: unknown; to?: unknown } | undefined
  const text = (value: unknown): string => (typeof value === 'string' ? value : '')

  const restore = async (version: number): Promise<void> => {
    try {
      const { skipped } = await client.history.restore({ knowledge: key, ...(projectId && { projectId }), version })
      onRestored(await client.knowledge.get(key, projectId ? { projectId } : {}))
      const left = skipped.map(({ value }) => value).join(', ')
      toasts.info(`Version ${version} is the newest one again${left && `. It no longer replaces ${left}`}`)
    } catch (cause) {
      toasts.error(`Could not restore. ${errorText(cause)}`)
    }
  }

  return (
    <div className="versions">
      <ol className="version-list" aria-label="Versions">
        {entries.map((each) => (
          <li key={each.id}>
            <button
              type="button"
              className="version"
              aria-pressed={each === entry}
              onClick={() => setChosen(each.version)}
            >
              <b>v{each.version}</b>
              <span>
                {verbs[each.type] ?? each.type} by {actorOf(users, each.actor).name}
              </span>
              <small className="muted">
                <Time at={each.at} />
              </small>
            </button>
          </li>
        ))}
        {hasMore && (
          <li>
            <Button kind="quiet" small disabled={isLoadingMore} onClick={() => void more()}>
              Show older versions
            </Button>
          </li>
        )}
      </ol>
      <div className="version-main">
        {entry && (
          <>
            <div className="version-head">
              <h3>
                {entry.version > 1 && content
                  ? `Version ${entry.version - 1} → ${entry.version}`
                  : `Version ${entry.version}`}
              </h3>
              {canWrite && entry.version !== item.version && (
                <Button small icon="undo" onClick={() => void restore(entry.version)}>
                  Restore version {entry.version}
                </Button>
              )}
            </div>
            {content ? (
              <Diff
                before={text(content.from)}
                after={text(content.to)}
                label={`Changes of version ${entry.version}`}
              />
            ) : (
              <p className="muted">The text did not change.</p>
            )}
          </>
        )}
        {entries.length === 0 && <p className="muted">No older versions are kept.</p>}
      </div>
    </div>
  )
}
