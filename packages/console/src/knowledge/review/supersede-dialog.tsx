import { type ReactNode, useState } from 'react'
import { ConflictError, type KnowledgeItem } from 'worklore-client'
import { Dialog } from '../../components/dialog'
import { FormError } from '../../components/form'
import { Badges } from '../../lifecycle/badges'
import { stateOf } from '../../lifecycle/state'
import { useConsole } from '../../store/console'
import { useKnowledgeView } from '../../store/records'
import { RecordSearch } from '../../suggestions/record-search'
import { useItemFields } from '../fields/use-item-fields'
import { matchingItems } from '../links/matching-items'

const refusalOf = (error: unknown, key: string): unknown => {
  if (!(error instanceof ConflictError)) return error
  const { reason, existing } = error.fields
  if (reason === 'cycle') return new Error(`${key} replaces this item already, directly or through others.`)
  return existing ? new Error(`${key} is superseded by ${existing} already. Replace that one instead.`) : error
}

interface SupersedeDialogProps {
  item: KnowledgeItem
  accept: (item: KnowledgeItem) => void
  onClose: () => void
}

/** Chooses an item of the same place that this one replaces. */
export const SupersedeDialog = ({ item, accept, onClose }: SupersedeDialogProps): ReactNode => {
  const { toasts } = useConsole()
  const knowledge = useKnowledgeView()
  const { setSuperseded } = useItemFields(item, accept)
  const [text, setText] = useState('')
  const [error, setError] = useState<unknown>()
  const options = matchingItems(knowledge.entries(), text.trim(), {
    projectIds: [item.projectId],
    excluded: [item.key, ...item.supersedes],
  })
  const choose = async (key: string): Promise<void> => {
    try {
      await setSuperseded(key, true)
      toasts.info(`${item.key} replaces ${key}`)
      onClose()
    } catch (cause) {
      setError(refusalOf(cause, key))
    }
  }
  return (
    <Dialog title={`What ${item.key} replaces`} onClose={onClose}>
      <div className="dialog-body form">
        <RecordSearch
          label="Find the item that it replaces"
          placeholder="Key or words of the title"
          text={text}
          onText={setText}
          options={options}
          keyOf={({ key }) => key}
          emptyText="No item matches."
          onChoose={({ key }) => void choose(key)}
          onClose={onClose}
        >
          {(entry) => (
            <>
              <span className="truncate">{entry.key}</span>
              {entry.title && <span className="muted truncate">{entry.title}</span>}
              <Badges state={stateOf(entry, Date.now())} trust={entry.trust} />
            </>
          )}
        </RecordSearch>
        <FormError error={error} />
      </div>
    </Dialog>
  )
}
