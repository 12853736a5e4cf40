import type { Dialect } from '../../../db/dialect.js'
import { readyCondition } from '../queue/readiness-store.js'
import type { Condition, Param } from './condition-store.js'
import { type FilterName, filterTable, type TaskFilters } from './filters.js'

const names = Object.keys(filterTable) as FilterName[]
const frequent = names.filter((name) => filterTable[name].isFrequent)
const rare = names.filter((name) => !filterTable[name].isFrequent)

/** Turns off the obstacles that apply only to some callers. */
const unlimited = { areResourcesReserved: false, viewedProjectIds: [] }

const unless = (text: string): string => `(cast(? as bigint) is null or ${text})`

/**
 * Returns one condition that covers all filters, whichever are set, because one text per combination would make too
 * many statements. Returns undefined if no filter is set.
 */
export const foldedCondition = (filters: TaskFilters): Condition | undefined => {
  // Without the filter `ready`, these obstacles must not affect the SQL, so that all callers share the same text.
  const asker = filters.ready === undefined ? { ...filters.asker, ...unlimited } : filters.asker
  const isGiven = (name: FilterName): boolean => filters[name] !== undefined
  const hasRare = rare.some(isGiven)
  if (!hasRare && !frequent.some(isGiven)) return undefined
  // The text of the rare filters is long, so it is left out if none of them is set.
  const checked = hasRare ? [...frequent, ...rare] : frequent
  return {
    name: `folded${hasRare ? ` rare ${readyCondition(asker).name}` : ''}`,
    text: (dialect: Dialect) => checked.map((name) => unless(filterTable[name].text(dialect, asker))).join(' and '),
    params: checked.flatMap((name): Param[] => {
      const { params, paramCount } = filterTable[name]
      const value = filters[name]
      return value === undefined ? Array<null>(paramCount(asker) + 1).fill(null) : [1, ...params(value, asker)]
    }),
  }
}
