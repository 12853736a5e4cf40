import { type Awaitable, andThen } from '../../../base/awaitable.js'
import { invalid } from '../../../base/errors.js'
import type { Call } from '../../../operations/call.js'
import { usableStatuses } from '../../../tenancy/projects/service.js'
import { type Category, isCategory, unknownStatus } from '../../../tenancy/projects/statuses.js'

/** Matches tasks in one of the categories whose status or category is also among `names`, if set. */
export interface StatusFilter {
  categories: readonly Category[]
  names?: readonly string[]
}

const distinct = <T extends string>(values: readonly T[]): T[] => [...new Set(values)].sort()

/** Resolves the statuses of a filter. A built-in status selects its whole category. Throws if a status is unknown. */
export const statusFilterOf = (call: Call, names: readonly string[]): Awaitable<StatusFilter> => {
  const builtIn = names.filter(isCategory)
  if (builtIn.length === names.length) return { categories: distinct(builtIn) }
  return andThen(usableStatuses(call), (usable) => {
    const isKnown = (name: string): boolean => isCategory(name) || usable.some(({ status }) => status === name)
    if (!names.every(isKnown)) throw invalid(unknownStatus(usable))
    const found = usable.filter(({ status }) => names.includes(status)).map(({ category }) => category)
    return { categories: distinct([...builtIn, ...found]), names: distinct(names) }
  })
}
