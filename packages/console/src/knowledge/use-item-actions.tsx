import { useState } from 'react'
import type { KnowledgeItem } from 'worklore-client'
import { Icon, type IconName } from '../components/icons'
import type { Choice } from '../components/menu'
import { holdKeys } from '../keyboard/hold-keys'
import { useKeys } from '../keyboard/use-keys'
import { usePageCommands } from '../store/page-commands'
import type { ReviewAction } from './review/review-overlay'

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

/** What a person does to an item as a whole: from its menu, by keys, and from the palette. */
export const useItemActions = (item: KnowledgeItem | undefined, hasKeys: boolean) => {
  const [overlay, setOverlay] = useState<ReviewAction | 'move' | 'delete' | null>(null)
  const actions = (item ? actionsOf(item) : []).map(([action, label, icon, shortcut]) => ({
    label,
    icon: <Icon name={icon} size={14} />,
    hint: shortcut ?? '',
    value: (): void => {
      if (isAskingForText(action)) holdKeys()
      setOverlay(action)
    },
  }))
  useKeys(Object.fromEntries(actions.map(({ hint, value }) => [hint, value])), hasKeys)
  usePageCommands(actions.map(({ label, value }) => ({ title: `${label}: ${item?.key}`, run: value })))
  const menu: Choice<() => void>[] = [
    ...actions,
    { value: () => setOverlay('move'), label: 'Move or rename', icon: <Icon name="edit" size={14} /> },
    { value: () => setOverlay('delete'), label: 'Delete', icon: <Icon name="trash" size={14} />, isDangerous: true },
  ]
  return { menu, overlay, close: () => setOverlay(null) }
}
