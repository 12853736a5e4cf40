import { type ReactNode, useEffect, useRef } from 'react'
import { IconButton } from './button'
import '../styles/dialog.css'

interface DialogProps {
  title: string
  onClose: () => void
  children: ReactNode
  className?: string
  /** Without the head, for dialogs that bring their own. */
  bare?: boolean
  /** Closes by its own button only, because its content cannot be shown again. */
  isFirm?: boolean
}

/** A native modal dialog: the browser keeps the focus inside and gives it back. */
export const Dialog = ({ title, onClose, children, className = '', bare, isFirm = false }: DialogProps): ReactNode => {
  const ref = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const dialog = ref.current
    const before = document.activeElement
    if (dialog && !dialog.open) {
      dialog.showModal()
      const first = dialog.querySelector<HTMLElement>('input, textarea, [role="listbox"]')
      // Enter must not do what cannot be taken back.
      const safe = dialog.querySelector<HTMLElement>('.dialog-foot:has(.danger) button:not(.danger)')
      ;(first ?? safe ?? dialog.querySelector<HTMLElement>('.dialog-foot button:last-child'))?.focus()
    }
    return () => {
      dialog?.close()
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  // Browsers ignore preventDefault on a second `cancel`, but not on the key.
  useEffect(() => {
    if (!isFirm) return
    const onKeyDown = (event: KeyboardEvent): void => {
      const isOnTop = [...document.querySelectorAll('dialog[open]')].at(-1) === ref.current
      if (event.key === 'Escape' && isOnTop) event.preventDefault()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [isFirm])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it, by the browser itself
    <dialog
      ref={ref}
      className={`dialog ${className}`}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault()
        if (!isFirm) onClose()
      }}
      onClick={(event) => {
        if (event.target === ref.current && !isFirm) onClose()
      }}
    >
      {!bare && (
        <div className="dialog-head">
          <h2>{title}</h2>
          {!isFirm && <IconButton icon="close" label="Close" onClick={onClose} />}
        </div>
      )}
      {children}
    </dialog>
  )
}
