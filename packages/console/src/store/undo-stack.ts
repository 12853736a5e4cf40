const maxEntries = 50

export interface UndoEntry {
  what: string
  run: () => Promise<void>
}

/** What was done in this tab, so that `u` can take it back. */
export const createUndoStack = () => {
  const entries: UndoEntry[] = []
  return {
    push: (entry: UndoEntry): void => {
      entries.push(entry)
      if (entries.length > maxEntries) entries.shift()
    },
    remove: (entry: UndoEntry): void => {
      const at = entries.indexOf(entry)
      if (at >= 0) entries.splice(at, 1)
    },
    pop: (): UndoEntry | undefined => entries.pop(),
  }
}

export type UndoStack = ReturnType<typeof createUndoStack>
