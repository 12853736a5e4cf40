import type { ReactNode } from 'react'
import { Button } from '../components/button'
import { Icon } from '../components/icons'
import type { KnowledgeEvent } from '../store/knowledge'
import { useWhoDeleted } from './use-who-deleted'

interface GoneNoticeProps {
  itemKey: string
  projectId: string | null
  /** The event that deleted or moved it, where it was seen. */
  end: KnowledgeEvent | undefined
  onSaveAsNew: () => void
  /** Goes on with the text where the item was moved to. */
  onContinue?: (() => void) | undefined
  onDiscard: () => void
}

/** Says that the item of a text that was not saved is gone, and offers what can be done with the text. */
export const GoneNotice = ({
  itemKey,
  projectId,
  end,
  onSaveAsNew,
  onContinue,
  onDiscard,
}: GoneNoticeProps): ReactNode => {
  const who = useWhoDeleted(itemKey, projectId, end)
  const isMoved = end?.type === 'knowledge.moved'
  return (
    <div className="notice" role="alert">
      <Icon name="alert" />
      <span>
        {isMoved ? `This item was moved to ${end.data.key}` : 'This item was deleted'}
        {who && ` by ${who}`}. Your text was not saved.
      </span>
      <Button small onClick={onDiscard}>
        Discard
      </Button>
      {isMoved && onContinue ? (
        <Button small onClick={onContinue}>
          Continue there
        </Button>
      ) : (
        <Button small onClick={onSaveAsNew}>
          Save as new
        </Button>
      )}
    </div>
  )
}
