/** What a task waits for and what it is a part of, by ids. */
export interface Links {
  blockedBy: string[]
  parentId: string | null
}

export const missingLink = (id: string, old: string): string => `${id} → ${old}: not in the import`

/** Without the blockers that are part of a cycle; where none is, without the parent, or else without any blocker. */
export const withoutCycle = ({ blockedBy, parentId }: Links, cycle: ReadonlySet<string>): Links => {
  const kept = blockedBy.filter((id) => !cycle.has(id))
  if (kept.length < blockedBy.length) return { blockedBy: kept, parentId }
  return { blockedBy: parentId === null ? [] : blockedBy, parentId: null }
}
