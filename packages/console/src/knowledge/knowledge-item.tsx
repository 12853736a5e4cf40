import { Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, Suspense, useState } from 'react'
import { NotFoundError } from 'worklore-client'
import { Button } from '../components/button'
import { Confirm } from '../components/confirm'
import { Icon } from '../components/icons'
import { ActionMenu } from '../components/menu'
import { onDemand } from '../components/on-demand'
import { CopyButton, Empty, Failure, Skeletons } from '../components/states'
import { Time } from '../components/time'
import { holdKeys } from '../keyboard/hold-keys'
import { useKeys } from '../keyboard/use-keys'
import { Markdown } from '../markdown/markdown'
import { type Query, useQuery, useSetQuery } from '../query'
import { useConsole } from '../store/console'
import { useObservable } from '../store/observable'
import { itemDraftName, itemLink } from './item-link'
import { useItem } from './use-item'

const ItemEditor = onDemand(() => import('./item-editor').then(({ ItemEditor }) => ({ default: ItemEditor })))
const GoneDraft = onDemand(() => import('./gone-draft').then(({ GoneDraft }) => ({ default: GoneDraft })))
const ItemVersions = onDemand(() => import('./item-versions').then(({ ItemVersions }) => ({ default: ItemVersions })))
const MoveItem = onDemand(() => import('./move-item').then(({ MoveItem }) => ({ default: MoveItem })))

interface KnowledgeItemViewProps {
  itemKey: string
  projectId: string | null
  canWrite: boolean
}

export const KnowledgeItemView = ({ itemKey, projectId, canWrite }: KnowledgeItemViewProps): ReactNode => {
  const { client, projects, toasts, drafts } = useConsole()
  const { item, error, end, reload, accept } = useItem(itemKey, projectId)
  const query = useQuery()
  const setQuery = useSetQuery()
  const navigate = useNavigate()
  const [overlay, setOverlay] = useState<'delete' | 'move' | null>(null)
  const mode = query.edit === '1' && canWrite ? 'edit' : query.versions === '1' ? 'versions' : 'read'
  useObservable(drafts.revision)
  const hasDraft = canWrite && drafts.read(itemDraftName(projectId, itemKey)) !== null
  const isGone = end !== undefined || error instanceof NotFoundError
  const isEditing = mode === 'edit' && item !== undefined
  const project = projects.get(projectId ?? '')

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
  if (error && !(isGone && isEditing)) return <Failure error={error} what={itemKey} onRetry={reload} />
  if (!item) {
    return (
      <div className="page-content">
        <Skeletons />
      </div>
    )
  }
  const segments = itemKey.split('/')
  return (
    <article className="item" data-mode={mode}>
      <header className="item-head">
        <div className="item-path">
          <span className="muted truncate">
            {project?.name ?? 'Shared'}
            {segments.slice(0, -1).map((segment) => ` / ${segment}`)}
          </span>
          <CopyButton
            text={location.origin + location.pathname + (project ? `?project=${project.key}` : '')}
            label="Copy the link"
          />
        </div>
        <div className="item-title-row">
          <h2 className="item-title">{segments.at(-1)}</h2>
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
              {canWrite && (
                <ActionMenu
                  label={`Actions on ${itemKey}`}
                  actions={[
                    { value: () => setOverlay('move'), label: 'Move or rename', icon: <Icon name="edit" size={14} /> },
                    {
                      value: () => setOverlay('delete'),
                      label: 'Delete',
                      icon: <Icon name="trash" size={14} />,
                      isDangerous: true,
                    },
                  ]}
                />
              )}
            </div>
          )}
          {mode === 'versions' && (
            <div className="item-actions">
              <Button onClick={() => setQuery({ versions: undefined })}>Back to the text</Button>
            </div>
          )}
        </div>
        <p className="item-meta muted">
          v{item.version} · {item.updatedBy.keyName} · <Time at={item.updatedAt} />
        </p>
      </header>
      {mode === 'read' && hasDraft && (
        <div className="notice blue">
          <span>You have an unsaved draft of this item.</span>
          <Link to="." search={((now: Query) => ({ ...now, edit: '1' })) as never} className="link">
            Continue editing
          </Link>
        </div>
      )}
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
        ) : item.content === '' ? (
          <p className="muted">This item is empty.</p>
        ) : (
          <Markdown text={item.content} />
        )}
        {overlay === 'move' && <MoveItem item={item} onClose={() => setOverlay(null)} />}
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
          onClose={() => setOverlay(null)}
        >
          It can be restored from the trash.
        </Confirm>
      )}
    </article>
  )
}
