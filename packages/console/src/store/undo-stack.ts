const maxEntries = 50

export interface UndoEntry {
  what: string
  /** Takes the change back; resolves with whether there was anything to take back. Null if nothing can be. */
  run: (() => Promise<boolean>) | null
  /** Said besides once it is undone. */
  note?: string
  /** Called when it can no longer be run from here, such as by the button of its message. */
  onTaken?: () => void
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
    pop: (): UndoEntry | undefined => {
      const entry = entries.pop()
      entry?.onTaken?.()
      return entry
    },
  }
}

export type UndoStack = ReturnType<typeof createUndoStack>
