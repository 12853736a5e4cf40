import { isClosed } from '../queue/ready.js'
import type { BeforeAndAfter, StoredTask } from '../stored-task.js'

/** What others see of a task. */
export interface Appearance {
  id: string
  isOpen: boolean
  parentId: string | null
  hasOpenBlockers: boolean
  hasChildren: boolean
  hasDependents: boolean
}

/** A task that was created (`before` is null), changed or deleted (`after` is null). */
export interface SeenChange {
  before: Appearance | null
  after: Appearance | null
  /** By how much more ancestors of it are blocked than before. */
  ancestorsStep: number
}

export const appearanceOf = ({ doc, counts }: StoredTask): Appearance => ({
  id: doc.id,
  isOpen: !isClosed(doc.statusCategory),
  parentId: doc.parentId,
  hasOpenBlockers: counts.openBlockers > 0,
  hasChildren: counts.totalChildren > 0,
  hasDependents: counts.hasDependents,
})

/** Whether others see a difference. */
const isSeen = ({ before, after, ancestorsStep }: SeenChange): boolean => {
  if (!before) return after !== null && after.parentId !== null
  return !after || ancestorsStep !== 0 || JSON.stringify(before) !== JSON.stringify(after)
}

/** What others see of changes of tasks. */
export const seenChanges = (tasks: readonly BeforeAndAfter[]): SeenChange[] =>
  tasks
    .map(({ before, after }) => ({
      before: before && appearanceOf(before),
      after: appearanceOf(after),
      ancestorsStep: after.counts.blockedAncestors - (before?.counts.blockedAncestors ?? 0),
    }))
    .filter(isSeen)

/** Whether a change is seen by any other task, so that there are counts to keep true. */
export const touchesOthers = ({ before, after }: SeenChange): boolean => {
  if ([before, after].some((seen) => seen !== null && (seen.parentId !== null || seen.hasChildren))) return true
  return before !== null && before.isOpen !== after?.isOpen && before.hasDependents
}
