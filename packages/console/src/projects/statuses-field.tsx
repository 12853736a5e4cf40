import type { ReactNode } from 'react'
import type { Project } from 'worklore-client'
import { Button, IconButton } from '../components/button'
import { statusesOf } from '../store/cards/statuses'
import { type Category, categories, categoryNames } from '../store/cards/task-card'

type Statuses = NonNullable<Project['statuses']>

const maxStatuses = 30

const slugFrom = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')
    .slice(0, 32)

/** The statuses that tasks of a project can have; null for the built-in ones. */
export const StatusesField = ({
  value,
  onChange,
}: {
  value: Project['statuses']
  onChange: (statuses: Project['statuses']) => void
}): ReactNode => {
  if (!value) {
    return (
      <fieldset className="field">
        <legend>Statuses</legend>
        <p className="field-hint">{Object.values(categoryNames).join(', ')}.</p>
        <Button small icon="edit" onClick={() => onChange([...statusesOf(undefined)])}>
          Use other statuses
        </Button>
      </fieldset>
    )
  }
  const set = (at: number, change: Partial<Statuses[number]>): void =>
    onChange(value.map((each, index) => (index === at ? { ...each, ...change } : each)))
  const rename = (at: number, name: string): void => {
    const { status, name: before } = value[at]!
    set(at, { name, ...(status === slugFrom(before) && { status: slugFrom(name) }) })
  }
  const swap = (at: number, other: number): void =>
    onChange(value.map((each, index) => value[index === at ? other : index === other ? at : index] ?? each))
  return (
    <fieldset className="field">
      <legend>Statuses</legend>
      {value.map(({ status, name, category }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they have no identity but their place
        <div key={index} className="check-list-row">
          <input
            className="input"
            aria-label={`Name of status ${index + 1}`}
            placeholder="Name"
            value={name}
            required
            maxLength={100}
            onChange={(event) => rename(index, event.target.value)}
          />
          <input
            className="input mono"
            aria-label={`Identifier of status ${index + 1}`}
            placeholder="identifier"
            value={status}
            required
            maxLength={32}
            pattern="[a-z0-9][a-z0-9_\-]*"
            title="Lowercase letters, digits, _ and -"
            onChange={(event) => set(index, { status: event.target.value })}
          />
          <select
            className="input"
            aria-label={`Category of status ${index + 1}`}
            value={category}
            onChange={(event) => set(index, { category: event.target.value as Category })}
          >
            {categories.map((each) => (
              <option key={each} value={each}>
                {categoryNames[each]}
              </option>
            ))}
          </select>
          {index > 0 && (
            <Button small aria-label={`Move ${name} up`} onClick={() => swap(index, index - 1)}>
              ↑
            </Button>
          )}
          <IconButton
            icon="close"
            label={`Remove ${name}`}
            onClick={() => onChange(value.filter((_, at) => at !== index))}
          />
        </div>
      ))}
      <div className="form-row">
        {value.length < maxStatuses && (
          <Button small icon="plus" onClick={() => onChange([...value, { status: '', name: '', category: 'todo' }])}>
            Add a status
          </Button>
        )}
        <Button small onClick={() => onChange(null)}>
          Use the built-in statuses
        </Button>
      </div>
      <p className="field-hint">
        Each category needs at least one status; its first is what claims and releases set. A status that tasks have
        cannot be removed.
      </p>
    </fieldset>
  )
}
