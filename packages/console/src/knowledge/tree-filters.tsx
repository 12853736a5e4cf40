import type { ReactNode } from 'react'
import { labelChoice } from '../components/avatar'
import { Icon } from '../components/icons'
import { Picker } from '../components/menu'
import { useQuery, useSetQuery } from '../query'
import { withValue } from '../store/cards/edit-list'
import { useConsole } from '../store/console'
import { knownTags } from './fields/known-tags'
import { treeFilterOf } from './tree-filter'

const choices = ['stale', 'disputed', 'expired', 'retracted', 'superseded', 'verified'].map((state) => ({
  value: state,
  label: state.charAt(0).toUpperCase() + state.slice(1),
}))

/** Which items the tree shows; it is in the address. */
export const TreeFilters = (): ReactNode => {
  const { knowledge } = useConsole()
  const setQuery = useSetQuery()
  const { states, tags } = treeFilterOf(useQuery())
  const toggle = (name: 'state' | 'tag', list: readonly string[], value: string): void =>
    setQuery({ [name]: withValue(list, value, !list.includes(value)).join(',') || undefined }, { replace: true })
  return (
    <>
      <Picker
        label="Filter by state"
        className="bordered"
        choices={choices}
        selected={states}
        isMultiple
        isSet={states.length > 0}
        onChoose={(state) => toggle('state', states, state)}
      >
        <Icon name="filter" size={14} />
        <span className="truncate">
          {states.length === 0
            ? 'State'
            : choices
                .filter(({ value }) => states.includes(value))
                .map(({ label }) => label)
                .join(', ')}
        </span>
      </Picker>
      <Picker
        label="Filter by tag"
        className="bordered"
        choices={() => [...new Set([...tags, ...knownTags(knowledge.entries())])].map(labelChoice)}
        selected={tags}
        isMultiple
        isSet={tags.length > 0}
        onChoose={(tag) => toggle('tag', tags, tag)}
      >
        <Icon name="tag" size={14} />
        <span className="truncate">{tags.length === 0 ? 'Tag' : tags.join(', ')}</span>
      </Picker>
    </>
  )
}
