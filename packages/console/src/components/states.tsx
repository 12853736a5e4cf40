import { type ReactNode, useState } from 'react'
import { ForbiddenError, NetworkError, NotFoundError } from 'worklore-client'
import { readErrorText } from '../api/error-text'
import { Button, IconButton } from './button'
import { Icon, type IconName } from './icons'

interface EmptyProps {
  icon: IconName
  title: string
  children?: ReactNode
  /** A command that fills the page. */
  command?: string
}

export const CopyButton = ({ text, label = 'Copy' }: { text: string; label?: string }): ReactNode => {
  const [isCopied, setIsCopied] = useState(false)
  return (
    <IconButton
      icon={isCopied ? 'check' : 'copy'}
      label={isCopied ? 'Copied' : label}
      onClick={() => {
        // Without TLS, other than on this machine, browsers have no clipboard.
        void navigator.clipboard?.writeText(text).then(() => {
          setIsCopied(true)
          setTimeout(() => setIsCopied(false), 1_500)
        })
      }}
    />
  )
}

export const Command = ({ text }: { text: string }): ReactNode => (
  <div className="command">
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long commands scroll, and the keyboard must reach them */}
    <code tabIndex={0}>{text}</code>
    <CopyButton text={text} label="Copy the command" />
  </div>
)

export const Empty = ({ icon, title, children, command }: EmptyProps): ReactNode => (
  <div className="empty">
    <Icon name={icon} />
    <h2>{title}</h2>
    {children && <div className="empty-body">{children}</div>}
    {command && <Command text={command} />}
  </div>
)

/** In place of what the key may not read, without asking the service for it. */
export const MissingScope = ({ scope, what }: { scope: string; what: string }): ReactNode => (
  <Empty icon="key" title={`You cannot see ${what}`}>
    <p>
      Your key does not have the scope <code>{scope}</code>. Ask an admin for a key that has it.
    </p>
  </Empty>
)

/** An error in place of what could not be read. */
export const Failure = ({
  error,
  what,
  onRetry,
}: {
  error: unknown
  what: string
  onRetry?: () => void
}): ReactNode => {
  if (error instanceof ForbiddenError) {
    return error.requiredScope ? (
      <MissingScope scope={error.requiredScope} what={what} />
    ) : (
      <Empty icon="key" title={`You cannot see ${what}`}>
        <p>{readErrorText(error)}</p>
      </Empty>
    )
  }
  if (error instanceof NotFoundError) {
    return (
      <Empty icon="search" title="This does not exist, or your key may not see it">
        <p>It may have been moved or deleted. What was deleted is in the trash for a while.</p>
      </Empty>
    )
  }
  return (
    <Empty
      icon="alert"
      title={error instanceof NetworkError ? 'No connection to the service' : `Could not load ${what}`}
    >
      <p>{readErrorText(error)}</p>
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
    </Empty>
  )
}

export const Skeletons = ({ count = 6, height = 34 }: { count?: number; height?: number }): ReactNode => (
  <div className="skeletons" role="status" aria-label="Loading">
    {Array.from({ length: count }, (_, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
      <div key={index} className="skeleton" style={{ height, opacity: 1 - index / (count + 1) }} />
    ))}
  </div>
)
