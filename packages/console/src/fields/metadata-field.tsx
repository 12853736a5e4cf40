import { type ReactNode, useState } from 'react'
import { errorText } from '../api/error-text'
import { Button, IconButton } from '../components/button'
import '../styles/fields.css'

type Metadata = Record<string, unknown>

/** An update replaces the keys it contains: those that are gone are removed by null. */
const patchOf = (before: Metadata, after: Metadata): Metadata => ({
  ...Object.fromEntries(Object.keys(before).map((key) => [key, null])),
  ...after,
})

const parse = (text: string): Metadata | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Metadata) : undefined
  } catch {
    return undefined
  }
}

interface MetadataFieldProps {
  value: Metadata
  canWrite: boolean
  /** Rejects where the service refuses. */
  onSave: (patch: Metadata) => Promise<unknown>
}

/** Custom data, edited as JSON. */
export const MetadataField = ({ value, canWrite, onSave }: MetadataFieldProps): ReactNode => {
  const [text, setText] = useState<string | null>(null)
  const [error, setError] = useState<string>()
  const isEmpty = Object.keys(value).length === 0
  const close = (): void => {
    setText(null)
    setError(undefined)
  }
  const save = async (): Promise<void> => {
    const next = parse(text?.trim() || '{}')
    if (!next) return setError('This is not a JSON object.')
    try {
      await onSave(patchOf(value, next))
      close()
    } catch (cause) {
      setError(errorText(cause))
    }
  }
  if (text === null) {
    return (
      <>
        {!isEmpty && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: long values scroll, and the keyboard must reach them
          <pre className="metadata" tabIndex={0}>
            {JSON.stringify(value, null, 2)}
          </pre>
        )}
        {canWrite && (
          <IconButton
            icon={isEmpty ? 'plus' : 'edit'}
            label={isEmpty ? 'Add metadata' : 'Edit the metadata'}
            onClick={() => setText(isEmpty ? '{\n  \n}' : JSON.stringify(value, null, 2))}
          />
        )}
      </>
    )
  }
  return (
    <form
      className="metadata-form"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <textarea
        className="textarea mono"
        aria-label="Metadata as JSON"
        aria-invalid={error !== undefined}
        rows={6}
        spellCheck={false}
        value={text}
        // biome-ignore lint/a11y/noAutofocus: it was opened to type here
        autoFocus
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) event.currentTarget.form?.requestSubmit()
          else if (event.key === 'Escape') close()
          else return
          event.preventDefault()
          event.stopPropagation()
        }}
      />
      {error && (
        <p className="form-error" role="alert">
          {error}
        </p>
      )}
      <div className="editor-actions">
        <Button kind="quiet" small onClick={close}>
          Cancel
        </Button>
        <Button type="submit" kind="primary" small>
          Save
        </Button>
      </div>
    </form>
  )
}
