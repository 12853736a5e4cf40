import { type ReactNode, useEffect, useRef } from 'react'
import { IconButton } from './button'

interface DialogProps {
  title: string
  onClose: () => void
  children: ReactNode
  className?: string
  /** Without the head, for dialogs that bring their own. */
  bare?: boolean
}

/** A native modal dialog: the browser keeps the focus inside and gives it back. */
export const Dialog = ({ title, onClose, children, className = '', bare }: DialogProps): ReactNode => {
  const ref = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const dialog = ref.current
    const before = document.activeElement
    if (dialog && !dialog.open) {
      dialog.showModal()
      dialog.querySelector<HTMLElement>('input, textarea, [role="listbox"], .dialog-foot button:last-child')?.focus()
    }
    return () => {
      dialog?.close()
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it, by the browser itself
    <dialog
      ref={ref}
      className={`dialog ${className}`}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => {
        if (event.target === ref.current) onClose()
      }}
    >
      {!bare && (
        <div className="dialog-head">
          <h2>{title}</h2>
          <IconButton icon="close" label="Close" onClick={onClose} />
        </div>
      )}
      {children}
    </dialog>
  )
}
