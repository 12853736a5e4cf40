import { type ReactNode, useEffect } from 'react'
import { actorOf } from '../api/actor'
import { Icon } from '../components/icons'
import { Picker } from '../components/menu'
import { DateTimeField } from '../fields/date-time-field'
import { useQuery, useSetQuery } from '../query'
import { useConsole } from '../store/console'
import { useActivity, useKeyRecords, useUsers } from '../store/records'

interface Named {
  name: string
  /** The key's name, of which a person may have several. */
  keyName: string
}

/** Who acted, by the ids of keys: those that an admin may list, and those at work. */
export const useActors = (): ReadonlyMap<string, Named> => {
  const app = useConsole()
  const activity = useActivity()
  const keys = useKeyRecords()
  const users = useUsers()
  const named = (keyName: string, userId: string | null): Named => ({
    name: actorOf(users, { keyName, userId }).name,
    keyName,
  })
  const actors = new Map(keys.list.map(({ id, name, userId }) => [id, named(name, userId)]))
  useEffect(() => app.activity.load(), [app])
  for (const { keyId, keyName, userId } of activity) if (!actors.has(keyId)) actors.set(keyId, named(keyName, userId))
  return actors
}

/** Filters a log by the key that acted. */
export const ActorFilter = ({ actors, name }: { actors: ReadonlyMap<string, Named>; name?: string }): ReactNode => {
  const { actor } = useQuery()
  const setQuery = useSetQuery()
  return (
    <Picker
      label="Actor"
      className="bordered"
      isSet={actor !== undefined}
      choices={[
        { value: '', label: 'Anyone' },
        ...[...actors].map(([value, { name, keyName }]) => ({
          value,
          label: name,
          ...(keyName !== name && { hint: keyName }),
        })),
      ]}
      selected={[actor ?? '']}
      onChoose={(value) => setQuery({ actor: value || undefined }, { replace: true })}
    >
      <Icon name="user" size={14} />
      {name ?? 'Actor'}
    </Picker>
  )
}

/** Filters a log by time; both ends are in the address. */
export const TimeFilter = (): ReactNode => {
  const query = useQuery()
  const setQuery = useSetQuery()
  return (['since', 'until'] as const).map((end) => (
    <DateTimeField
      key={end}
      label={end === 'since' ? 'From' : 'Until'}
      removeLabel={`Remove the ${end === 'since' ? 'start' : 'end'}`}
      value={query[end] && !Number.isNaN(Date.parse(query[end])) ? query[end] : null}
      isDisabled={false}
      onChange={(value) => setQuery({ [end]: value ?? undefined }, { replace: true })}
    />
  ))
}
