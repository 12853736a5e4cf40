/** The tags in use. */
export const knownTags = (entries: Iterable<{ tags: readonly string[] }>): string[] => {
  const tags = new Set<string>()
  for (const entry of entries) for (const tag of entry.tags) tags.add(tag)
  return [...tags].sort()
}
