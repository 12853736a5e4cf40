import { type ReactNode, useState } from 'react'
import { IconButton } from '../../components/button'

const localText = (iso: string): string => {
  const at = new Date(iso)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

interface NotBeforeProps {
  value: string
  isDisabled: boolean
  onChange: (notBefore: string | null) => void
}

/** From when on agents get the task. */
export const NotBefore = ({ value, isDisabled, onChange }: NotBeforeProps): ReactNode => {
  const [text, setText] = useState<string | null>(null)
  const save = (): void => {
    if (text !== null && text !== '' && text !== localText(value)) onChange(new Date(text).toISOString())
    setText(null)
  }
  return (
    <div className="not-before">
      <label>
        Not before{' '}
        <input
          type="datetime-local"
          className="input"
          value={text ?? localText(value)}
          disabled={isDisabled}
          onChange={(event) => setText(event.target.value)}
          onBlur={save}
          onKeyDown={(event) => {
            if (event.key === 'Enter') event.currentTarget.blur()
          }}
        />
      </label>
      {!isDisabled && <IconButton icon="close" label="Remove the start" onClick={() => onChange(null)} />}
    </div>
  )
}
