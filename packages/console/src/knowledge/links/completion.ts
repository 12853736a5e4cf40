import type { Completion } from '../../editor/completion'
import type { KnowledgeIndex } from '../../store/knowledge'
import type { Typed } from '../../suggestions/typed'
import { type Among, matchingItems } from './matching-items'

/** Longer than any key with what comes before it. */
const lookBack = 520

/** The key after `[[` that the caret is at the end of. */
const linkAt = (text: string, caret: number): Typed | null => {
  const typed = /\[\[([^[\]|#\n]*)$/.exec(text.slice(Math.max(0, caret - lookBack), caret))?.[1]
  return typed === undefined ? null : { start: caret - typed.length, typed }
}

/** Offers keys after `[[`. */
export const createItemCompletion = (index: KnowledgeIndex, among: Among): Completion => ({
  label: 'Items to link to',
  find: linkAt,
  matching: (typed) =>
    matchingItems(index.entries(), typed, among).map(({ projectId, key, title }) => ({
      id: `${projectId ?? ''} ${key}`,
      name: key,
      hint: title,
    })),
  write: ({ name }, after) => ({ text: after.startsWith(']]') ? name : `${name}]]`, caret: name.length + 2 }),
})
