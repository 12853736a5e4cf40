import { type ReactNode, useEffect, useRef } from 'react'
import { Button, commandKey, Kbd } from '../../components/button'

interface ComposerProps {
  label: string
  text: string
  onText: (text: string) => void
  action: string
  isSending: boolean
  onSend: () => void
  onCancel?: () => void
  /** Opened to go on at the end of the text. */
  isFocused?: boolean
}

/** A box to write a comment in. */
export const Composer = ({
  label,
  text,
  onText,
  action,
  isSending,
  onSend,
  onCancel,
  isFocused = false,
}: ComposerProps): ReactNode => {
  const box = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (!isFocused || !box.current) return
    box.current.focus()
    box.current.setSelectionRange(box.current.value.length, box.current.value.length)
  }, [isFocused])
  const canSend = !isSending && text.trim() !== ''
  const send = (): void => {
    if (canSend) onSend()
  }
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <textarea
        ref={box}
        className="textarea"
        aria-label={label}
        placeholder={`${label}, in Markdown`}
        value={text}
        readOnly={isSending}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) {
            event.preventDefault()
            send()
          }
          if (event.key === 'Escape') event.currentTarget.blur()
        }}
      />
      <div className="editor-actions">
        {onCancel && (
          <Button kind="quiet" small onClick={onCancel}>
            Cancel
          </Button>
        )}
        <Button type="submit" kind="primary" small disabled={!canSend}>
          {action} <Kbd>{commandKey}↵</Kbd>
        </Button>
      </div>
    </form>
  )
}
