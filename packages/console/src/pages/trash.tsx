import { type ReactNode, useEffect, useMemo, useState } from 'react'
import type { Me, TrashEntry } from 'worklore-client'
import { actorOf } from '../api/actor'
import { errorText } from '../api/error-text'
import { canWriteKnowledge, hasScope } from '../api/permissions'
import { Button } from '../components/button'
import { Confirm } from '../components/confirm'
import { numberText } from '../components/count'
import { Icon, type IconName } from '../components/icons'
import { ActionMenu } from '../components/menu'
import { Empty, Failure, Skeletons } from '../components/states'
import { Time } from '../components/time'
import { Page } from '../layout/page'
import { usePages } from '../lifecycle/use-pages'
import { plainText } from '../markdown/plain-text'
import { useQuery, useSetQuery } from '../query'
import { useObservable } from '../store/base/observable'
import { useConsole } from '../store/console'
import { useMe, useUsers } from '../store/records'
import { RefusedDialog } from '../tasks/selection/refused-dialog'
import { createSelection, SelectionContext, useSelection } from '../tasks/selection/selection'
import { CheckBox, useSelectionKeys } from '../tasks/selection/selection-area'
import { useTold } from '../tasks/selection/use-told'
import '../styles/selection.css'

type Kind = TrashEntry['kind']

const entriesPerPage = 50

const kinds: [kind: Kind | 'all', name: string][] = [
  ['all', 'Everything'],
  ['task', 'Tasks'],
  ['knowledge', 'Knowledge'],
  ['comment', 'Comments'],
  ['project', 'Projects'],
]
const icons: Record<Kind, IconName> = { task: 'board', knowledge: 'document', comment: 'comment', project: 'project' }

/** A comment has no title but its text. */
const titleOf = ({ kind, title }: TrashEntry): string => (kind === 'comment' ? plainText(title) : title)

const canRestore = (me: Me, { kind, projectId }: TrashEntry): boolean =>
  kind === 'knowledge' ? canWriteKnowledge(me, projectId) : hasScope(me, kind === 'project' ? 'admin' : 'tasks:write')

const canSee = (me: Me, kind: Kind | 'all'): boolean =>
  kind === 'all' || kind === 'project' || hasScope(me, kind === 'knowledge' ? 'knowledge:read' : 'tasks:read')

export const TrashPage = (): ReactNode => (
  <SelectionContext value={useMemo(() => createSelection(), [])}>
    <Trash />
  </SelectionContext>
)

const Trash = (): ReactNode => {
  const console = useConsole()
  const { client, toasts, onEvent } = console
  const users = useUsers()
  const me = useMe()
  const query = useQuery()
  const setQuery = useSetQuery()
  const offered = kinds.filter(([each]) => canSee(me, each))
  const kind = offered.find(([each]) => each === query.kind)?.[0] ?? 'all'
  const selection = useSelection()
  const selected = useObservable(selection.ids)
  const [current, setCurrent] = useState<string | null>(null)
  const { refused, tell, dismiss } = useTold()
  const [purging, setPurging] = useState<TrashEntry | 'all' | null>(null)
  const { records, hasMore, error, reload, more, isLoadingMore } = usePages(
    (cursor, signal) =>
      client.trash
        .list({ limit: entriesPerPage, ...(kind !== 'all' && { kind }), ...(cursor && { cursor }) }, { signal })
        .then((page) => page),
    ['trash', kind],
  )
  useEffect(
    () =>
      onEvent((event) => {
        if (/\.(deleted|restored)$/.test(event.type)) reload()
      }),
    [onEvent, reload],
  )
  const isAdmin = hasScope(me, 'admin')

  const restore = async (entry: TrashEntry): Promise<void> => {
    try {
      const { skipped, status } = await client.trash.restore(entry.id)
      const links = skipped.map(({ field, value }) => `${field} ${value}`).join(', ')
      const isUnderWay = status === 'restoring' ? ' It is large and comes back in steps.' : ''
      toasts.info(`${titleOf(entry)} is restored.${isUnderWay}${links && ` Left out: ${links}.`}`)
      reload()
    } catch (cause) {
      toasts.error(`Could not restore ${titleOf(entry)}. ${errorText(cause)}`)
    }
  }

  const restorable = (records ?? []).filter((entry) => entry.status !== 'restoring' && canRestore(me, entry))
  const ids = restorable.map(({ id }) => id)
  const order = ids.join(' ')
  useEffect(() => {
    const shown = order === '' ? [] : order.split(' ')
    selection.shown.set(shown)
    selection.match({ ids: shown, isPartial: false })
  }, [selection, order])
  useSelectionKeys(current !== null && ids.includes(current) ? current : null)
  const chosen = restorable.filter(({ id }) => selected?.has(id))
  const restoreChosen = async (): Promise<void> => {
    const { restoreMany } = await import('../tasks/selection/run-bulk')
    selection.end()
    tell(await restoreMany(console, chosen), 'restored', 'record')
    reload()
  }

  return (
    <Page
      title="Trash"
      actions={
        isAdmin &&
        (records?.length ?? 0) > 0 && (
          <Button kind="danger" onClick={() => setPurging('all')}>
            Empty the trash
          </Button>
        )
      }
      toolbar={
        <div className="segmented" role="group" aria-label="Kind">
          {offered.map(([each, name]) => (
            <button
              key={each}
              type="button"
              aria-pressed={kind === each}
              onClick={() => setQuery({ kind: each === 'all' ? undefined : each }, { replace: true })}
            >
              {name}
            </button>
          ))}
        </div>
      }
    >
      <div className="page-body">
        <div className="page-content narrow">
          {error && !records ? (
            <Failure error={error} what="the trash" onRetry={reload} />
          ) : !records ? (
            <Skeletons />
          ) : records.length === 0 ? (
            <Empty icon="trash" title="The trash is empty">
              <p>Deleted tasks, knowledge, comments and projects are kept here for a while.</p>
            </Empty>
          ) : (
            <>
              {restorable.length > 1 && (
                <div className="trash-select">
                  <label className="check">
                    <input
                      type="checkbox"
                      checked={chosen.length === restorable.length}
                      onChange={chosen.length < restorable.length ? selection.selectAll : selection.end}
                    />
                    <span>Select all shown</span>
                  </label>
                  <Button small icon="undo" disabled={chosen.length === 0} onClick={() => void restoreChosen()}>
                    {chosen.length > 0 ? `Restore ${numberText(chosen.length)}` : 'Restore selected'}
                  </Button>
                </div>
              )}
              <ul className="rows">
                {records.map((entry) => (
                  <li key={entry.id} className="row" onFocus={() => setCurrent(entry.id)}>
                    {restorable.length > 1 && (
                      <CheckBox id={entry.id} name={entry.title} isDisabled={!restorable.includes(entry)} />
                    )}
                    <Icon name={icons[entry.kind]} />
                    <span className="row-main">
                      <span className="row-title">
                        {entry.kind === 'task' && <span className="card-id">{entry.task} </span>}
                        {titleOf(entry)}
                      </span>
                      <small>
                        deleted by {actorOf(users, entry.deletedBy).name} <Time at={entry.deletedAt} /> · purged{' '}
                        <Time at={entry.purgedAt} />
                        {entry.kind === 'comment' && ` · on ${entry.task}`}
                      </small>
                    </span>
                    <span className="row-end">
                      {entry.status === 'restoring' ? (
                        <span className="badge blue">restoring</span>
                      ) : (
                        canRestore(me, entry) && (
                          <Button
                            small
                            icon="undo"
                            onClick={() => void restore(entry)}
                            aria-label={`Restore ${titleOf(entry)}`}
                          >
                            Restore
                          </Button>
                        )
                      )}
                      {isAdmin && (
                        <ActionMenu
                          label={`Actions on ${titleOf(entry)}`}
                          actions={[
                            {
                              value: () => setPurging(entry),
                              label: 'Delete for good',
                              icon: <Icon name="trash" size={14} />,
                              isDangerous: true,
                            },
                          ]}
                        />
                      )}
                    </span>
                  </li>
                ))}
              </ul>
              {hasMore && (
                <Button disabled={isLoadingMore} onClick={() => void more()}>
                  Show more
                </Button>
              )}
            </>
          )}
        </div>
      </div>
      {purging && (
        <Confirm
          title={purging === 'all' ? 'Empty the trash?' : `Delete ${titleOf(purging)} for good?`}
          action="Delete for good"
          isDangerous
          {...(purging === 'all' && { typed: 'empty' })}
          run={async () => {
            if (purging === 'all') await client.trash.empty()
            else await client.trash.purge(purging.id)
            reload()
          }}
          onClose={() => setPurging(null)}
        >
          This cannot be undone. Old versions are removed too.
        </Confirm>
      )}
      {refused && <RefusedDialog refused={refused} onClose={dismiss} />}
    </Page>
  )
}
