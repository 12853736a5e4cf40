import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, Suspense, useState } from 'react'
import type { KnowledgeItem } from 'worklore-client'
import { Confirm } from '../components/confirm'
import { Icon, type IconName } from '../components/icons'
import { ActionMenu, type Choice } from '../components/menu'
import { onDemand } from '../components/on-demand'
import { holdKeys } from '../keyboard/hold-keys'
import { useKeys } from '../keyboard/use-keys'
import { useTellDeleted } from '../lifecycle/use-restore'
import { useConsole } from '../store/console'
import { usePageCommands } from '../store/page-commands'
import { newRequestId } from '../undo/undo-request'
import type { ReviewAction } from './review/review-overlay'

const ReviewOverlay = onDemand(() =>
  import('./review/review-overlay').then(({ ReviewOverlay }) => ({ default: ReviewOverlay })),
)
const MoveItem = onDemand(() => import('./move-item').then(({ MoveItem }) => ({ default: MoveItem })))

type ItemAction = [action: ReviewAction, label: string, icon: IconName, shortcut?: string]

const actionsOf = ({ trust, retraction, stale }: KnowledgeItem): ItemAction[] => [
  trust === 'verified' ? ['unverify', 'Take the verdict back', 'undo'] : ['verify', 'Verify', 'check', 'v'],
  ['dispute', 'Dispute', 'alert', 'd'],
  retraction ? ['unretract', 'Take the retraction back', 'undo', 'r'] : ['retract', 'Retract', 'blocked', 'r'],
  ['supersede', 'Supersede another item', 'document', 's'],
  ...(stale.length > 0 ? ([['accept', 'Accept what is stale', 'check', 'x']] satisfies ItemAction[]) : []),
]

const isAskingForText = (action: ReviewAction): boolean =>
  ['verify', 'dispute', 'retract', 'supersede'].includes(action)

interface ItemToolsProps {
  item: KnowledgeItem
  /** Nothing else has the keyboard. */
  hasKeys: boolean
  accept: (item: KnowledgeItem) => void
}

/** What a person does to an item as a whole: from its menu, by keys, and from the palette. */
export const ItemTools = ({ item, hasKeys, accept }: ItemToolsProps): ReactNode => {
  const { client } = useConsole()
  const tellDeleted = useTellDeleted()
  const navigate = useNavigate()
  const [overlay, setOverlay] = useState<ReviewAction | 'move' | 'delete' | null>(null)
  const close = (): void => setOverlay(null)
  const { key, projectId, version } = item
  const actions = actionsOf(item).map(([action, label, icon, shortcut]) => ({
    label,
    icon: <Icon name={icon} size={14} />,
    hint: shortcut ?? '',
    value: (): void => {
      if (isAskingForText(action)) holdKeys()
      setOverlay(action)
    },
  }))
  useKeys(Object.fromEntries(actions.map(({ hint, value }) => [hint, value])), hasKeys)
  usePageCommands(actions.map(({ label, value }) => ({ title: `${label}: ${key}`, run: value })))
  const menu: Choice<() => void>[] = [
    ...actions,
    { value: () => setOverlay('move'), label: 'Move or rename', icon: <Icon name="edit" size={14} /> },
    { value: () => setOverlay('delete'), label: 'Delete', icon: <Icon name="trash" size={14} />, isDangerous: true },
  ]
  return (
    <>
      <ActionMenu label={`Actions on ${key}`} actions={menu} />
      <Suspense>
        {overlay === 'move' ? (
          <MoveItem item={item} onClose={close} />
        ) : overlay === 'delete' ? (
          <Confirm
            title={`Delete ${key}?`}
            action="Delete"
            isDangerous
            run={async () => {
              const requestId = newRequestId()
              await client.knowledge.delete(key, { ifMatch: version, requestId, ...(projectId && { projectId }) })
              tellDeleted(key, requestId)
              void navigate({ to: '/k' })
            }}
            onClose={close}
          >
            It can be restored from the trash.
          </Confirm>
        ) : (
          overlay && <ReviewOverlay action={overlay} item={item} accept={accept} onClose={close} />
        )}
      </Suspense>
    </>
  )
}
