import { Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, Suspense, useEffect, useState } from 'react'
import { type KnowledgeItem, NotFoundError } from 'worklore-client'
import { Button } from '../components/button'
import { Confirm } from '../components/confirm'
import { ActionMenu } from '../components/menu'
import { onDemand } from '../components/on-demand'
import { Empty, Failure, Skeletons } from '../components/states'
import { Time } from '../components/time'
import { itemDraftName, itemLink } from '../item-link'
import { holdKeys } from '../keyboard/hold-keys'
import { useKeys } from '../keyboard/use-keys'
import { Markdown } from '../markdown/markdown'
import { mayHaveLinks } from '../markdown/may-have-links'
import { type Query, useQuery, useSetQuery } from '../query'
import { useConsole } from '../store/console'
import { useObservable } from '../store/observable'
import { ItemHead } from './item-head'
import { useItem } from './use-item'
import { useItemActions } from './use-item-actions'

const ItemEditor = onDemand(() => import('./item-editor').then(({ ItemEditor }) => ({ default: ItemEditor })))
const GoneDraft = onDemand(() => import('./gone-draft').then(({ GoneDraft }) => ({ default: GoneDraft })))
const ItemVersions = onDemand(() => import('./item-versions').then(({ ItemVersions }) => ({ default: ItemVersions })))
const ItemMarkdown = onDemand(() =>
  import('./links/item-markdown').then(({ ItemMarkdown }) => ({ default: ItemMarkdown })),
)
const StateNotices = onDemand(() =>
  import('./review/state-notices').then(({ StateNotices }) => ({ default: StateNotices })),
)
const ReviewOverlay = onDemand(() =>
  import('./review/review-overlay').then(({ ReviewOverlay }) => ({ default: ReviewOverlay })),
)
const Beside = onDemand(() => import('./beside').then(({ Beside }) => ({ default: Beside })))
const MoveItem = onDemand(() => import('./move-item').then(({ MoveItem }) => ({ default: MoveItem })))

/** The first text comes before the code of what is beside it. */
const besideAfterMs = 1_000
let isBesideDue = false

const isNoteworthy = ({ retraction, supersededBy, validUntil, trust, stale }: KnowledgeItem): boolean =>
  Boolean(retraction || supersededBy || validUntil) || trust === 'disputed' || stale.length > 0

interface KnowledgeItemViewProps {
  itemKey: string
  projectId: string | null
  canWrite: boolean
}

export const KnowledgeItemView = ({ itemKey, projectId, canWrite }: KnowledgeItemViewProps): ReactNode => {
  const { client, projects, toasts, drafts } = useConsole()
  const { item, error, end, movedTo, reload, accept } = useItem(itemKey, projectId)
  const query = useQuery()
  const setQuery = useSetQuery()
  const navigate = useNavigate()
  const mode = query.edit === '1' && canWrite ? 'edit' : query.versions === '1' ? 'versions' : 'read'
  useObservable(drafts.revision)
  const hasDraft = canWrite && drafts.read(itemDraftName(projectId, itemKey)) !== null
  const isGone = end !== undefined || error instanceof NotFoundError
  const isEditing = mode === 'edit' && item !== undefined
  const isMoved = movedTo !== undefined && !end && !isEditing && !hasDraft
  const canReview = canWrite && !isGone && mode === 'read'
  const { menu, overlay, close } = useItemActions(canReview ? item : undefined, query.task === undefined)
  const [hasBeside, setHasBeside] = useState(isBesideDue)
  useEffect(() => {
    const timer = setTimeout(() => {
      isBesideDue = true
      setHasBeside(true)
    }, besideAfterMs)
    return () => clearTimeout(timer)
  }, [])

  // An old key leads to where the item is now.
  useEffect(() => {
    if (!isMoved) return
    toasts.info(`${itemKey} was moved to ${movedTo.key}`)
    const link = itemLink(movedTo.key, projects.get(movedTo.projectId ?? '')?.key)
    void navigate({ ...link, replace: true } as never)
  }, [isMoved, movedTo, itemKey, navigate, projects, toasts])

  const edit = (): void => {
    holdKeys()
    setQuery({ edit: '1', versions: undefined })
  }
  useKeys({
    ...(canWrite && mode !== 'edit' && { e: edit }),
    ...(mode === 'versions' && { Escape: () => setQuery({ versions: undefined }) }),
  })

  if (isGone && !isEditing && hasDraft) {
    return (
      <Suspense>
        <GoneDraft itemKey={itemKey} projectId={projectId} end={end} onSaved={accept} />
      </Suspense>
    )
  }
  if (end && !isEditing) {
    return end.type === 'knowledge.moved' ? (
      <Empty icon="document" title="This item was moved">
        <Link {...itemLink(end.data.key, projects.get(end.data.projectId ?? '')?.key)} className="link">
          {end.data.key}
        </Link>
      </Empty>
    ) : (
      <Empty icon="trash" title="This item was deleted">
        <p>
          By {end.actor.keyName}, <Time at={end.timestamp} />. It can be restored from the trash.
        </p>
      </Empty>
    )
  }
  if (isMoved) return null
  if (error && !(isGone && isEditing)) return <Failure error={error} what={itemKey} onRetry={reload} />
  if (!item) {
    return (
      <div className="page-content">
        <Skeletons />
      </div>
    )
  }
  return (
    <article className="item" data-mode={mode}>
      <ItemHead item={item}>
        {mode === 'read' && (
          <div className="item-actions">
            {canWrite && (
              <Button icon="edit" onClick={edit}>
                Edit
              </Button>
            )}
            <Button icon="history" onClick={() => setQuery({ versions: '1' })} aria-label="Versions">
              <span className="desktop-only">Versions</span>
            </Button>
            {canWrite && <ActionMenu label={`Actions on ${itemKey}`} actions={menu} />}
          </div>
        )}
        {mode === 'versions' && (
          <div className="item-actions">
            <Button onClick={() => setQuery({ versions: undefined })}>Back to the text</Button>
          </div>
        )}
      </ItemHead>
      {mode === 'read' && hasDraft && (
        <div className="notice blue">
          <span>You have an unsaved draft of this item.</span>
          <Link to="." search={((now: Query) => ({ ...now, edit: '1' })) as never} className="link">
            Continue editing
          </Link>
        </div>
      )}
      <Suspense>
        {mode === 'read' && isNoteworthy(item) && (
          <StateNotices item={item} canWrite={canWrite} accept={accept} reload={reload} />
        )}
      </Suspense>
      <Suspense>
        {mode === 'edit' ? (
          <ItemEditor
            item={item}
            isGone={isGone}
            end={end}
            accept={accept}
            reload={reload}
            onClose={() => setQuery({ edit: undefined }, { replace: true })}
          />
        ) : mode === 'versions' ? (
          <ItemVersions item={item} canWrite={canWrite} onRestored={accept} />
        ) : (
          <div className="item-columns">
            {item.content === '' ? (
              <p className="muted">This item is empty.</p>
            ) : mayHaveLinks(item.content) ? (
              <ItemMarkdown item={item} text={item.content} />
            ) : (
              <Markdown text={item.content} />
            )}
            <aside className="beside" aria-label={`About ${itemKey}`}>
              <Suspense>{hasBeside && <Beside item={item} canWrite={canWrite} accept={accept} />}</Suspense>
            </aside>
          </div>
        )}
      </Suspense>
      <Suspense>
        {overlay === 'move' && <MoveItem item={item} onClose={close} />}
        {overlay !== null && overlay !== 'move' && overlay !== 'delete' && (
          <ReviewOverlay action={overlay} item={item} accept={accept} reload={reload} onClose={close} />
        )}
      </Suspense>
      {overlay === 'delete' && (
        <Confirm
          title={`Delete ${itemKey}?`}
          action="Delete"
          isDangerous
          run={async () => {
            await client.knowledge.delete(itemKey, { ifMatch: item.version, ...(projectId && { projectId }) })
            toasts.info(`${itemKey} is in the trash`)
            void navigate({ to: '/k' })
          }}
          onClose={close}
        >
          It can be restored from the trash.
        </Confirm>
      )}
    </article>
  )
}
