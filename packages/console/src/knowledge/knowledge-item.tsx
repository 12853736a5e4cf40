import { Link } from '@tanstack/react-router'
import { type ReactNode, Suspense } from 'react'
import { NotFoundError } from 'worklore-client'
import { Button } from '../components/button'
import { onDemand } from '../components/on-demand'
import { Failure, Skeletons } from '../components/states'
import { itemDraftName } from '../item-link'
import { holdKeys } from '../keyboard/hold-keys'
import { useKeys } from '../keyboard/use-keys'
import { useSettled } from '../layout/use-settled'
import { type Query, useQuery, useSetQuery } from '../query'
import { useObservable } from '../store/base/observable'
import { useConsole } from '../store/console'
import { ItemHead } from './item-head'
import { ItemMarkdown } from './links/item-markdown'
import { StateNotices } from './review/state-notices'
import { useItem } from './use-item'

const ItemEditor = onDemand(() => import('./item-editor').then(({ ItemEditor }) => ({ default: ItemEditor })))
const GoneDraft = onDemand(() => import('./gone-draft').then(({ GoneDraft }) => ({ default: GoneDraft })))
const ItemVersions = onDemand(() => import('./item-versions').then(({ ItemVersions }) => ({ default: ItemVersions })))
const ItemTools = onDemand(() => import('./item-tools').then(({ ItemTools }) => ({ default: ItemTools })))
const GoneItem = onDemand(() => import('./gone-item').then(({ GoneItem }) => ({ default: GoneItem })))
const MovedItem = onDemand(() => import('./gone-item').then(({ MovedItem }) => ({ default: MovedItem })))
const Beside = onDemand(() => import('./beside').then(({ Beside }) => ({ default: Beside })))

interface KnowledgeItemViewProps {
  itemKey: string
  projectId: string | null
  canWrite: boolean
}

export const KnowledgeItemView = ({ itemKey, projectId, canWrite }: KnowledgeItemViewProps): ReactNode => {
  const { drafts } = useConsole()
  const { item, error, end, movedTo, reload, accept } = useItem(itemKey, projectId)
  const query = useQuery()
  const setQuery = useSetQuery()
  const mode = query.edit === '1' && canWrite ? 'edit' : query.versions === '1' ? 'versions' : 'read'
  useObservable(drafts.revision)
  const hasDraft = canWrite && drafts.read(itemDraftName(projectId, itemKey)) !== null
  const isGone = end !== undefined || error instanceof NotFoundError
  const isEditing = mode === 'edit' && item !== undefined
  const isSettled = useSettled()
  // An open task has the keys.
  const hasKeys = query.task === undefined

  const edit = (): void => {
    holdKeys()
    setQuery({ edit: '1', versions: undefined })
  }
  useKeys({
    ...(canWrite && mode !== 'edit' && hasKeys && { e: edit }),
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
    return (
      <Suspense>
        <GoneItem end={end} />
      </Suspense>
    )
  }
  if (movedTo && !isEditing) {
    return (
      <Suspense>
        <MovedItem from={itemKey} to={movedTo} />
      </Suspense>
    )
  }
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
            {canWrite && isSettled && (
              <Suspense>
                <ItemTools item={item} hasKeys={hasKeys} accept={accept} />
              </Suspense>
            )}
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
        {mode === 'read' && <StateNotices item={item} canWrite={canWrite} accept={accept} />}
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
            ) : (
              <ItemMarkdown item={item} text={item.content} />
            )}
            <aside className="beside" aria-label={`About ${itemKey}`}>
              <Suspense>{isSettled && <Beside item={item} canWrite={canWrite} accept={accept} />}</Suspense>
            </aside>
          </div>
        )}
      </Suspense>
    </article>
  )
}
