import { type ReactNode, useState } from 'react'
import { ForbiddenError, type KnowledgeItem } from 'worklore-client'
import { Dialog } from '../../components/dialog'
import { FormError, FormFoot, useSubmit } from '../../components/form'
import { placeOf } from '../../item-link'
import { useConsole } from '../../store/console'
import { useKept } from '../../store/use-kept'

export type Review = 'verify' | 'dispute' | 'retract'

interface ReviewText {
  title: string
  label: string
  action: string
  isRequired: boolean
  done: string
}

const texts: Record<Review, ReviewText> = {
  verify: { title: 'Verify', label: 'What you checked', action: 'Verify', isRequired: false, done: 'verified' },
  dispute: { title: 'Dispute', label: 'What is wrong', action: 'Dispute', isRequired: true, done: 'disputed' },
  retract: {
    title: 'Retract',
    label: 'Why it no longer holds',
    action: 'Retract',
    isRequired: true,
    done: 'retracted',
  },
}

const maxTextLength = 2_000

interface ReviewDialogProps {
  review: Review
  item: KnowledgeItem
  accept: (item: KnowledgeItem) => void
  onClose: () => void
}

/** Asks for the note of a verdict, or the reason of a retraction. */
export const ReviewDialog = ({ review, item, accept, onClose }: ReviewDialogProps): ReactNode => {
  const { client, toasts } = useConsole()
  const { title, label, action, isRequired, done } = texts[review]
  const kept = useKept(`${review}.${item.projectId ?? ''}.${item.key}`, '', (text) => text.trim() !== '')
  /** The version that was read before the decision. */
  const [version] = useState(item.version)
  const text = kept.value.trim()
  const send = (): Promise<KnowledgeItem> => {
    if (review === 'retract') return client.knowledge.retract(item.key, text, placeOf(item))
    return client.knowledge[review]({ ...item, version }, text ? { note: text } : {})
  }
  const { submit, isBusy, error } = useSubmit(
    async () => {
      if (isRequired && text === '') return
      accept(await send())
      kept.clear()
      toasts.info(`${item.key} is ${done}`)
      onClose()
    },
    (cause) => {
      const isOwnText = cause instanceof ForbiddenError && cause.reason === 'verifier'
      return isOwnText ? new Error('Someone else must verify this text: you wrote it, or your key did.') : cause
    },
  )
  return (
    <Dialog title={`${title} ${item.key}`} onClose={onClose}>
      <form onSubmit={submit}>
        <div className="dialog-body form">
          <div className="field">
            <label htmlFor="review-text">{isRequired ? label : `${label} (optional)`}</label>
            <textarea
              id="review-text"
              className="textarea"
              rows={4}
              maxLength={maxTextLength}
              value={kept.value}
              onChange={(event) => kept.set(event.target.value)}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return
                event.preventDefault()
                event.currentTarget.form?.requestSubmit()
              }}
            />
          </div>
          {version !== item.version && (
            <p className="field-hint" role="status">
              It has changed while this was open: it is at version {item.version} now.
            </p>
          )}
          <FormError error={error} />
        </div>
        <FormFoot submit={action} isDisabled={isBusy || (isRequired && text === '')} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
