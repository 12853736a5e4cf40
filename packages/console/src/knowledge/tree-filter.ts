import { stateOf } from '../lifecycle/state'
import { listOf, type Query } from '../query'
import type { KnowledgeEntry } from '../store/knowledge'

interface TreeFilter {
  /** Any of them; none for all items. */
  states: readonly string[]
  tags: readonly string[]
}

export const treeFilterOf = ({ state, tag }: Query): TreeFilter => ({ states: listOf(state), tags: listOf(tag) })

const hasState = (entry: KnowledgeEntry, state: string, nowMs: number): boolean => {
  if (state === 'stale') return entry.stale.length > 0
  return entry.trust === state || stateOf(entry, nowMs) === state
}

/** Items in any of the states, with any of the tags, whose key or title contains the text. */
export const matcherOf = ({ states, tags }: TreeFilter, text: string, nowMs: number) => {
  const wanted = text.toLowerCase()
  return (entry: KnowledgeEntry): boolean =>
    (wanted === '' ||
      entry.key.toLowerCase().includes(wanted) ||
      (entry.title?.toLowerCase().includes(wanted) ?? false)) &&
    (states.length === 0 || states.some((state) => hasState(entry, state, nowMs))) &&
    (tags.length === 0 || tags.some((tag) => entry.tags.includes(tag)))
}
