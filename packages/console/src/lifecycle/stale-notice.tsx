import { type ReactNode, useState } from 'react'
import type { StaleMark } from 'worklore-client'
import { errorText } from '../api/error-text'
import { Button, Kbd } from '../components/button'
import { Icon } from '../components/icons'
import { Time } from '../components/time'
import { useConsole } from '../store/console'
import { ItemAnchor } from './item-anchor'
import '../styles/lifecycle.css'

const whyTexts: Record<StaleMark['why'], string> = {
  retracted: 'was retracted',
  disputed: 'was disputed',
  deleted: 'was deleted',
  superseded: 'was superseded',
  expired: 'expired',
}

interface StaleNoticeProps {
  marks: readonly StaleMark[]
  /** Absent where it may not be accepted. */
  onAccept?: (() => Promise<unknown>) | undefined
}

/** What something relied on that no longer holds. */
const StaleNotice = ({ marks, onAccept }: StaleNoticeProps): ReactNode => {
  const { toasts } = useConsole()
  const [isSending, setIsSending] = useState(false)
  if (marks.length === 0) return null
  const accept = async (): Promise<void> => {
    setIsSending(true)
    try {
      await onAccept?.()
    } catch (error) {
      toasts.error(errorText(error))
    } finally {
      setIsSending(false)
    }
  }
  return (
    <section className="notice stale-notice" aria-label="Stale">
      <Icon name="alert" />
      <div>
        <p>It relied on what no longer holds:</p>
        <ul>
          {marks.map(({ key, projectId, version, why, at }) => (
            <li key={`${projectId}:${key}:${version}:${why}`}>
              <ItemAnchor itemKey={key} projectId={projectId} /> (version {version}) {whyTexts[why]} <Time at={at} />
            </li>
          ))}
        </ul>
      </div>
      {onAccept && (
        <Button small disabled={isSending} onClick={() => void accept()}>
          Accept <Kbd>x</Kbd>
        </Button>
      )}
    </section>
  )
}

export default StaleNotice
