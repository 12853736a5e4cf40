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

/** What may be the id of a task in a text: bd-a1b2.3, ACME-12, #12, owner/repo#12. Not a part of a path or a word. */
const mention =
  /(?<![\w/&#.-])(?:[\w.-]+\/[\w.-]+)?#\d+\b|(?<![\w/#.-])[A-Za-z][A-Za-z0-9_]*(?:-[A-Za-z0-9]+)+(?:\.\d+)*\b/g

/** The text with the new ids in place of the old ones. */
export const rewriteMentions = (text: string, newIds: ReadonlyMap<string, string>): string =>
  text.replaceAll(mention, (old) => newIds.get(old) ?? old)

export const hasMention = (text: string, ids: { has(id: string): boolean }): boolean => {
  for (const [found] of text.matchAll(mention)) if (ids.has(found)) return true
  return false
}
