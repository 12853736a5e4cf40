import type { ReactNode } from 'react'
import type { KnowledgeItem } from 'worklore-client'
import { errorText } from '../api/error-text'
import type { Draft } from '../editor/use-draft'
import { itemDraftName } from '../item-link'
import { Markdown } from '../markdown/markdown'
import { useConsole } from '../store/console'
import type { KnowledgeEvent } from '../store/knowledge'
import { GoneNotice } from './gone-notice'

interface GoneDraftProps {
  itemKey: string
  projectId: string | null
  end: KnowledgeEvent | undefined
  onSaved: (item: KnowledgeItem) => void
}

/** What was written of an item that no longer exists. */
export const GoneDraft = ({ itemKey, projectId, end, onSaved }: GoneDraftProps): ReactNode => {
  const { client, toasts, drafts } = useConsole()
  const name = itemDraftName(projectId, itemKey)
  const draft = drafts.read<Draft>(name)
  if (!draft) return null
  const saveAsNew = async (): Promise<void> => {
    try {
      const saved = await client.knowledge.put(itemKey, { content: draft.text, projectId }, { ifNoneMatch: '*' })
      drafts.drop(name)
      toasts.info(`${itemKey} is saved`)
      onSaved(saved)
    } catch (error) {
      toasts.error(`The text was not saved. ${errorText(error)}`)
    }
  }
  return (
    <article className="item">
      <GoneNotice
        itemKey={itemKey}
        projectId={projectId}
        end={end}
        onSaveAsNew={() => void saveAsNew()}
        onDiscard={() => drafts.drop(name)}
      />
      <Markdown text={draft.text} />
    </article>
  )
}
