import { type ReactNode, useRef, useState } from 'react'
import { errorText } from '../api/error-text'
import { IconButton } from '../components/button'
import '../styles/fields.css'

interface InPlaceTextProps {
  /** As in `title`. */
  name: string
  value: string
  maxLength: number
  canWrite: boolean
  /** Rejects where the service refuses. */
  onSave: (text: string) => Promise<unknown>
  /** How the value is shown. */
  children: ReactNode
}

/** A line of text with a button that makes it a field. Enter saves, Escape does not. */
export const InPlaceText = ({ name, value, maxLength, canWrite, onSave, children }: InPlaceTextProps): ReactNode => {
  const [text, setText] = useState<string | null>(null)
  const [error, setError] = useState<string>()
  const button = useRef<HTMLButtonElement>(null)
  const close = (): void => {
    setText(null)
    setError(undefined)
    requestAnimationFrame(() => button.current?.focus())
  }
  const save = async (): Promise<void> => {
    if (text === null) return
    if (text.trim() === value) return close()
    try {
      await onSave(text.trim())
      close()
    } catch (cause) {
      setError(errorText(cause))
    }
  }
  if (text === null) {
    return (
      <div className="in-place">
        <div className="in-place-text">{children}</div>
        {canWrite && (
          <IconButton
            ref={button}
            icon={value === '' ? 'plus' : 'edit'}
            label={`${value === '' ? 'Add' : 'Edit'} the ${name}`}
            onClick={() => setText(value)}
          />
        )}
      </div>
    )
  }
  return (
    <div className="in-place">
      <input
        className="input"
        aria-label={name.charAt(0).toUpperCase() + name.slice(1)}
        aria-invalid={error !== undefined}
        maxLength={maxLength}
        value={text}
        // biome-ignore lint/a11y/noAutofocus: it was opened to type here
        autoFocus
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') void save()
          else if (event.key === 'Escape') close()
          else return
          event.preventDefault()
          event.stopPropagation()
        }}
      />
      <IconButton icon="check" label={`Save the ${name}`} onClick={() => void save()} />
      {error && (
        <span className="form-error" role="alert">
          {error}
        </span>
      )}
    </div>
  )
}
