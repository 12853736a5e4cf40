import type { ReactNode } from 'react'
import type { KnowledgeItem } from 'worklore-client'
import { ConfirmDialog } from '../../components/confirm-dialog'
import { acceptStaleItem, judgeItem, retractItem } from '../../lifecycle/calls'
import { useConsole } from '../../store/console'
import { type Review, ReviewDialog } from './review-dialog'
import { SupersedeDialog } from './supersede-dialog'

type Confirmed = 'unverify' | 'unretract' | 'accept'
export type ReviewAction = Review | 'supersede' | Confirmed

const questions: Record<Confirmed, { title: string; text: string; action: string }> = {
  unverify: { title: 'Take the verdict back?', text: 'counts as unreviewed again.', action: 'Take back' },
  unretract: { title: 'Take the retraction back?', text: 'counts as true again.', action: 'Take back' },
  accept: { title: 'Accept what is stale?', text: 'stays as it is, and the marks are removed.', action: 'Accept' },
}

interface ReviewOverlayProps {
  action: ReviewAction
  item: KnowledgeItem
  accept: (item: KnowledgeItem) => void
  reload: () => void
  onClose: () => void
}

/** The dialog of something that a person does to an item. */
export const ReviewOverlay = ({ action, item, accept, reload, onClose }: ReviewOverlayProps): ReactNode => {
  const { client } = useConsole()
  if (action === 'supersede') return <SupersedeDialog item={item} accept={accept} onClose={onClose} />
  if (action === 'verify' || action === 'dispute' || action === 'retract') {
    return <ReviewDialog review={action} item={item} accept={accept} onClose={onClose} />
  }
  const run = async (): Promise<void> => {
    if (action === 'accept') {
      await acceptStaleItem(client, item)
      reload()
    } else if (action === 'unretract') accept(await retractItem(client, item, null))
    else accept(await judgeItem(client, item, { version: item.version, trust: 'unreviewed' }))
  }
  const { title, text, action: label } = questions[action]
  return (
    <ConfirmDialog title={title} action={label} run={run} onClose={onClose}>
      {item.key} {text}
    </ConfirmDialog>
  )
}
