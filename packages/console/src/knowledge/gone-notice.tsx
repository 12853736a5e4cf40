import type { ReactNode } from 'react'
import { actorOf } from '../api/actor'
import { Button } from '../components/button'
import { Icon } from '../components/icons'
import { useConsole } from '../store/console'
import type { KnowledgeEvent } from '../store/knowledge'
import { useUsers } from '../store/records'
import { useLoaded } from '../store/use-loaded'

/** Who deleted an item: from the event, else from the trash. */
const useWhoDeleted = (key: string, projectId: string | null, end: KnowledgeEvent | undefined): string | undefined => {
  const { client } = useConsole()
  const users = useUsers()
  const { data } = useLoaded(
    async (signal) => {
      if (end) return actorOf(users, end.actor).name
      const { data: entries } = await client.trash.list({ kind: 'knowledge', limit: 100 }, { signal })
      const deleted = entries.find((entry) => entry.knowledge === key && entry.projectId === projectId)
      return deleted && actorOf(users, deleted.deletedBy).name
    },
    ['who deleted', key, projectId, end?.sequence],
  )
  return data
}

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

/** Tells that the item of an unsaved text was deleted or moved, and offers what to do with the text. */
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
