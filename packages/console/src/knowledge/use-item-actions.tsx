import { useState } from 'react'
import type { KnowledgeItem } from 'worklore-client'
import { errorText } from '../api/error-text'
import { Icon, type IconName } from '../components/icons'
import type { Choice } from '../components/menu'
import { holdKeys } from '../keyboard/hold-keys'
import { useKeys } from '../keyboard/use-keys'
import { acceptStaleItem, judgeItem, retractItem } from '../lifecycle/calls'
import { useConsole } from '../store/console'
import { usePageCommands } from '../store/page-commands'
import type { Review } from './review/review-dialog'

type ItemOverlay = Review | 'supersede' | 'move' | 'delete'

interface ItemAction {
  label: string
  icon: IconName
  /** The key that does it. */
  shortcut?: string
  run: () => void
}

interface ItemActionOptions {
  item: KnowledgeItem | undefined
  accept: (item: KnowledgeItem) => void
  reload: () => void
  canChange: boolean
  /** Nothing else has the keyboard. */
  hasKeys: boolean
}

/** What a person does to an item as a whole: from its menu, by keys, and from the palette. */
export const useItemActions = ({ item, accept, reload, canChange, hasKeys }: ItemActionOptions) => {
  const { client, toasts } = useConsole()
  const [overlay, setOverlay] = useState<ItemOverlay | null>(null)

  const open = (next: ItemOverlay) => (): void => {
    holdKeys()
    setOverlay(next)
  }
  const acceptStale = async (): Promise<void> => {
    if (!item) return
    await acceptStaleItem(client, item)
    reload()
  }
  const orExplain = async (changed: Promise<void>): Promise<void> => {
    try {
      await changed
    } catch (error) {
      toasts.error(`${item?.key} was not changed. ${errorText(error)}`)
    }
  }

  const actionsOf = ({ trust, retraction, version }: KnowledgeItem): ItemAction[] => [
    trust === 'verified'
      ? {
          label: 'Take the verdict back',
          icon: 'undo',
          run: () => void orExplain(judgeItem(client, item!, { version, trust: 'unreviewed' }).then(accept)),
        }
      : { label: 'Verify', icon: 'check', shortcut: 'v', run: open('verify') },
    { label: 'Dispute', icon: 'alert', shortcut: 'd', run: open('dispute') },
    retraction
      ? {
          label: 'Take the retraction back',
          icon: 'undo',
          shortcut: 'r',
          run: () => void orExplain(retractItem(client, item!, null).then(accept)),
        }
      : { label: 'Retract', icon: 'blocked', shortcut: 'r', run: open('retract') },
    { label: 'Supersede another item', icon: 'document', shortcut: 's', run: open('supersede') },
  ]
  const acceptAction: ItemAction = {
    label: 'Accept what is stale',
    icon: 'check',
    shortcut: 'x',
    run: () => void orExplain(acceptStale()),
  }
  const actions = item && canChange ? [...actionsOf(item), ...(item.stale.length > 0 ? [acceptAction] : [])] : []
  useKeys(Object.fromEntries(actions.flatMap(({ shortcut, run }) => (shortcut ? [[shortcut, run]] : []))), hasKeys)
  usePageCommands(actions.map(({ label, run }) => ({ title: `${label}: ${item!.key}`, run })))

  const menu: Choice<() => void>[] = [
    ...actions.map(({ label, icon, shortcut, run }) => ({
      value: run,
      label,
      icon: <Icon name={icon} size={14} />,
      ...(shortcut && { hint: shortcut }),
    })),
    { value: () => setOverlay('move'), label: 'Move or rename', icon: <Icon name="edit" size={14} /> },
    {
      value: () => setOverlay('delete'),
      label: 'Delete',
      icon: <Icon name="trash" size={14} />,
      isDangerous: true,
    },
  ]
  return { menu, overlay, close: () => setOverlay(null), acceptStale }
}
