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
