/** A text being edited, and what it was based on: restored onto a newer version it would undo someone's change. */
export interface Draft {
  text: string
  baseVersion: number
  baseText: string
  savedAt: string
}

const prefix = 'worklore.draft.'
/** Drafts of this age are dropped. */
const maxAgeMs = 30 * 24 * 60 * 60 * 1000

export const readDraft = (name: string): Draft | null => {
  try {
    return JSON.parse(localStorage.getItem(prefix + name) ?? 'null')
  } catch {
    return null
  }
}

export const saveDraft = (name: string, draft: Omit<Draft, 'savedAt'>): void => {
  try {
    localStorage.setItem(prefix + name, JSON.stringify({ ...draft, savedAt: new Date().toISOString() }))
  } catch {
    // Storage is full: the text is still in the editor.
  }
}

export const dropDraft = (name: string): void => localStorage.removeItem(prefix + name)

export const dropOldDrafts = (): void => {
  for (const name of Object.keys(localStorage)) {
    if (!name.startsWith(prefix)) continue
    const draft = readDraft(name.slice(prefix.length))
    if (!draft || Date.now() - Date.parse(draft.savedAt) > maxAgeMs) localStorage.removeItem(name)
  }
}
