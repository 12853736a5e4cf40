import { type Awaitable, andThen } from '../../../base/awaitable.js'
import type { ErrorDetail } from '../../../base/errors.js'
import type { Call } from '../../../operations/call.js'
import { usableStatuses } from '../../../tenancy/projects/service.js'
import { isCategory, unknownStatus } from '../../../tenancy/projects/statuses.js'
import type { TaskFilters } from '../lists/filters.js'

const distinct = <T extends string>(values: readonly T[]): T[] => [...new Set(values)].sort()

/** What is wrong with statuses to filter by. */
export const statusFilterProblems = async (call: Call, names: readonly string[] = []): Promise<ErrorDetail[]> => {
  const custom = names.filter((name) => !isCategory(name))
  if (custom.length === 0) return []
  const usable = await usableStatuses(call)
  return custom.every((name) => usable.some(({ status }) => status === name)) ? [] : [unknownStatus(usable)]
}

/** The filters that statuses stand for. A built-in one stands for its category. */
export const statusFilterOf = (
  call: Call,
  names: readonly string[],
): Awaitable<Pick<TaskFilters, 'statuses' | 'statusNames'>> => {
  const statuses = names.filter(isCategory)
  if (statuses.length === names.length) return { statuses: distinct(statuses) }
  return andThen(usableStatuses(call), (usable) => {
    const found = usable.filter(({ status }) => names.includes(status)).map(({ category }) => category)
    return { statuses: distinct([...statuses, ...found]), statusNames: distinct(names) }
  })
}
