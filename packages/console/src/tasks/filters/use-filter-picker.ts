import { useSetQuery } from '../../query'
import { type FilterName, filterValues } from './matcher'
import { useKnownQuery } from './use-known-query'

/** What the pickers of filters have in common. */
export const useFilterPicker = () => {
  const query = useKnownQuery()
  const setQuery = useSetQuery()
  return {
    filterOf: (name: FilterName) => {
      const selected = filterValues(query, name)
      return {
        selected,
        isSet: selected.length > 0,
        isMultiple: true,
        className: 'bordered',
        onChoose: (value: string): void => {
          const next = selected.includes(value) ? selected.filter((each) => each !== value) : [...selected, value]
          setQuery({ [name]: next.join(',') || undefined }, { replace: true })
        },
      }
    },
    countText: (name: FilterName): string => {
      const count = filterValues(query, name).length
      return count > 0 ? String(count) : ''
    },
  }
}
