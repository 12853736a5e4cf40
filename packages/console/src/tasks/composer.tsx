import { type ReactNode, type RefObject, type TextareaHTMLAttributes, useEffect, useRef } from 'react'
import { Button, commandKey, Kbd } from '../components/button'

export interface TextBoxProps extends TextareaHTMLAttributes<HTMLTextAreaElement> {
  element: RefObject<HTMLTextAreaElement | null>
  text: string
  onText: (text: string) => void
}

const TextBox = ({ element, text, onText, ...rest }: TextBoxProps): ReactNode => (
  <textarea {...rest} ref={element} value={text} onChange={(event) => onText(event.target.value)} />
)

interface ComposerProps {
  label: string
  text: string
  onText: (text: string) => void
  action: string
  isSending: boolean
  onSend: () => void
  onCancel?: () => void
  /** Instead of leaving the box. */
  onEscape?: () => void
  /** Opened to go on at the end of the text. */
  isFocused?: boolean
  /** Another box, where users who are mentioned are told. */
  box?: (props: TextBoxProps) => ReactNode
  /** Further fields below the text. */
  children?: ReactNode
}

/** A box to write a comment, an answer or evidence in. */
export const Composer = ({
  label,
  text,
  onText,
  action,
  isSending,
  onSend,
  onCancel,
  onEscape,
  isFocused = false,
  box: Box = TextBox,
  children,
}: ComposerProps): ReactNode => {
  const element = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (!isFocused || !element.current) return
    element.current.focus()
    element.current.setSelectionRange(element.current.value.length, element.current.value.length)
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
      <Box
        element={element}
        className="textarea"
        aria-label={label}
        placeholder={`${label}, in Markdown`}
        text={text}
        onText={onText}
        readOnly={isSending}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) {
            event.preventDefault()
            send()
          }
          if (event.key === 'Escape') (onEscape ?? (() => event.currentTarget.blur()))()
        }}
      />
      {children}
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
