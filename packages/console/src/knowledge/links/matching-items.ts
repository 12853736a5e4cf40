import type { KnowledgeEntry } from '../../store/knowledge'

const shown = 8

export interface Among {
  /** Only items of these projects; null stands for those of no project. */
  projectIds: readonly (string | null)[]
  excluded: readonly string[]
}

/** Items by key or title: keys that begin with what was typed first, then parts of keys. */
export const matchingItems = (
  entries: Iterable<KnowledgeEntry>,
  text: string,
  { projectIds, excluded }: Among,
): KnowledgeEntry[] => {
  const typed = text.toLowerCase()
  const rankOf = ({ key, title }: KnowledgeEntry): number => {
    const name = key.toLowerCase()
    if (name.startsWith(typed)) return 0
    if (name.includes(`/${typed}`)) return 1
    return name.includes(typed) || title?.toLowerCase().includes(typed) ? 2 : 3
  }
  const ranked: { entry: KnowledgeEntry; rank: number }[] = []
  for (const entry of entries) {
    if (!projectIds.includes(entry.projectId) || excluded.includes(entry.key)) continue
    const rank = rankOf(entry)
    if (rank < 3) ranked.push({ entry, rank })
  }
  return ranked
    .sort((a, b) => a.rank - b.rank || (a.entry.key < b.entry.key ? -1 : 1))
    .slice(0, shown)
    .map(({ entry }) => entry)
}
