import { randomBase62 } from '../../base/ids.js'
import { everyGroup } from '../port.js'

/** Beyond it all start anew, and what was said of any of them before is said of none again. */
const maxGroups = 10_000

/** Counts the commits of each group by this process. */
export const createCommitCounts = () => {
  const counts = new Map<string, number>()
  let name = randomBase62(8)
  return {
    count: (group: string): void => {
      if (group === everyGroup || (counts.size >= maxGroups && !counts.has(group))) {
        counts.clear()
        name = randomBase62(8)
      }
      counts.set(group, (counts.get(group) ?? 0) + 1)
    },
    of: (group: string): string => `${name}.${counts.get(group) ?? 0}`,
  }
}
