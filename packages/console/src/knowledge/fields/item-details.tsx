import { type ReactNode, useId } from 'react'
import type { KnowledgeItem } from 'worklore-client'
import { errorText } from '../../api/error-text'
import { LabelChip, labelChoice } from '../../components/avatar'
import { IconButton } from '../../components/button'
import { Icon } from '../../components/icons'
import { Picker } from '../../components/menu'
import { DateTimeField } from '../../fields/date-time-field'
import { InPlaceText } from '../../fields/in-place-text'
import { MetadataField } from '../../fields/metadata-field'
import { ItemAnchor } from '../../lifecycle/item-anchor'
import { useConsole } from '../../store/console'
import { knownTags } from './known-tags'
import { useItemFields } from './use-item-fields'

const maxTitle = 200
const maxSource = 2_000

const Source = ({ text }: { text: string }): ReactNode =>
  /^https?:\/\/\S+$/i.test(text) ? (
    <a href={text} className="link" target="_blank" rel="noopener noreferrer nofollow">
      {text}
    </a>
  ) : (
    text
  )

const Row = ({ name, children }: { name: string; children: ReactNode }): ReactNode => {
  const id = useId()
  return (
    <div className="detail" role="group" aria-labelledby={id}>
      <span id={id} className="detail-name">
        {name}
      </span>
      {children}
    </div>
  )
}

interface ItemDetailsProps {
  item: KnowledgeItem
  canWrite: boolean
  accept: (item: KnowledgeItem) => void
}

/** The fields of an item besides its text, edited where they are shown. */
export const ItemDetails = ({ item, canWrite, accept }: ItemDetailsProps): ReactNode => {
  const { knowledge, toasts } = useConsole()
  const { set, setTag, setSuperseded } = useItemFields(item, accept)
  const { title, tags, source, validUntil, supersedes, metadata } = item
  const orExplain = (changed: Promise<void>): void =>
    void changed.catch((error) => toasts.error(`${item.key} was not changed. ${errorText(error)}`))
  const isBare = tags.length + supersedes.length + Object.keys(metadata).length === 0 && !source && !validUntil
  if (isBare && !canWrite) return null
  return (
    <section className="beside-part" aria-label="Details">
      {canWrite && (
        <Row name="Title">
          <InPlaceText
            name="title"
            value={title ?? ''}
            maxLength={maxTitle}
            canWrite
            onSave={(text) => set({ title: text || null })}
          >
            {title ?? <span className="muted">Not given</span>}
          </InPlaceText>
        </Row>
      )}
      {(tags.length > 0 || canWrite) && (
        <Row name="Tags">
          <div className="detail-tags">
            {tags.map((tag) => (
              <LabelChip key={tag} label={tag} />
            ))}
            {canWrite && (
              <Picker
                label="Tags"
                className="quiet"
                choices={() => [...new Set([...tags, ...knownTags(knowledge.entries())])].map(labelChoice)}
                selected={tags}
                isMultiple
                onChoose={(tag) => orExplain(setTag(tag, !tags.includes(tag)))}
                onCreate={(tag) => orExplain(setTag(tag.replaceAll(',', ' '), true))}
              >
                <Icon name="tag" size={14} />
                {tags.length === 0 ? 'Add tag' : <Icon name="plus" size={12} />}
              </Picker>
            )}
          </div>
        </Row>
      )}
      {(source || canWrite) && (
        <Row name="Source">
          <InPlaceText
            name="source"
            value={source ?? ''}
            maxLength={maxSource}
            canWrite={canWrite}
            onSave={(text) => set({ source: text || null })}
          >
            {source ? <Source text={source} /> : <span className="muted">Not given</span>}
          </InPlaceText>
        </Row>
      )}
      {(validUntil || canWrite) && (
        <Row name="Valid until">
          <DateTimeField
            label="Valid until"
            removeLabel="Remove the end"
            hidesLabel
            value={validUntil}
            isDisabled={!canWrite}
            onChange={(next) => orExplain(set({ validUntil: next }))}
          />
        </Row>
      )}
      {supersedes.length > 0 && (
        <Row name="Replaces">
          <ul className="detail-items">
            {supersedes.map((key) => (
              <li key={key}>
                <ItemAnchor itemKey={key} projectId={item.projectId} />
                {canWrite && (
                  <IconButton
                    icon="close"
                    label={`No longer replace ${key}`}
                    onClick={() => orExplain(setSuperseded(key, false))}
                  />
                )}
              </li>
            ))}
          </ul>
        </Row>
      )}
      {(Object.keys(metadata).length > 0 || canWrite) && (
        <Row name="Metadata">
          <MetadataField value={metadata} canWrite={canWrite} onSave={(patch) => set({ metadata: patch })} />
        </Row>
      )}
    </section>
  )
}
