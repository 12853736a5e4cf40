import type { ReactNode } from 'react'
import type { KnowledgeItem } from 'worklore-client'
import { ConfirmDialog } from '../../components/confirm-dialog'
import { placeOf } from '../../item-link'
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
  onClose: () => void
}

/** The dialog of something that a person does to an item. */
export const ReviewOverlay = ({ action, item, accept, onClose }: ReviewOverlayProps): ReactNode => {
  const { client } = useConsole()
  if (action === 'supersede') return <SupersedeDialog item={item} accept={accept} onClose={onClose} />
  if (action === 'verify' || action === 'dispute' || action === 'retract') {
    return <ReviewDialog review={action} item={item} accept={accept} onClose={onClose} />
  }
  const { key, version } = item
  const run = async (): Promise<void> => {
    const { judge, retract, acceptStale } = client.knowledge
    if (action === 'accept') accept(await acceptStale(key, placeOf(item)))
    else if (action === 'unretract') accept(await retract(key, null, placeOf(item)))
    else accept(await judge({ key, ...placeOf(item), version, trust: 'unreviewed' }))
  }
  const { title, text, action: label } = questions[action]
  return (
    <ConfirmDialog title={title} action={label} run={run} onClose={onClose}>
      {key} {text}
    </ConfirmDialog>
  )
}
