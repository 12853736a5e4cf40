import { createObservable, type Observable } from './base/observable'

interface Kept {
  value: unknown
  savedAt: string
}

const everyPrefix = 'worklore.draft.'
/** Drafts of this age are dropped. */
const maxAgeMs = 30 * 24 * 60 * 60 * 1000
/** Of more drafts than this, the oldest are dropped. */
const maxDrafts = 100

/** Unsent texts of one person, stored in this browser until the person signs out. */
export interface Drafts {
  /** Increases when a draft is added or dropped. */
  revision: Observable<number>
  read<T>(name: string): T | null
  save(name: string, value: unknown): void
  /** Drops a draft. With `value`, keeps the draft if another tab has stored a different value since. */
  drop(name: string, value?: unknown): void
  count(): number
  /** Deletes all drafts of the person and ignores later saves. */
  end(): void
}

const parse = (text: string | null): Kept | null => {
  try {
    return JSON.parse(text ?? 'null')
  } catch {
    return null
  }
}

const dropOld = (): void => {
  const kept = Object.keys(localStorage)
    .filter((name) => name.startsWith(everyPrefix))
    .map((name) => ({ name, savedAtMs: Date.parse(parse(localStorage.getItem(name))?.savedAt ?? '') || 0 }))
    .sort((a, b) => b.savedAtMs - a.savedAtMs)
  for (const [index, { name, savedAtMs }] of kept.entries()) {
    if (index >= maxDrafts || Date.now() - savedAtMs > maxAgeMs) localStorage.removeItem(name)
  }
}

export const createDrafts = (person: string): Drafts => {
  dropOld()
  const prefix = `${everyPrefix}${person}.`
  const names = (): string[] => Object.keys(localStorage).filter((name) => name.startsWith(prefix))
  const revision = createObservable(0)
  let hasEnded = false
  const raise = (): void => revision.update((value) => value + 1)
  return {
    revision,
    read: <T>(name: string) => (parse(localStorage.getItem(prefix + name))?.value ?? null) as T | null,
    save: (name, value) => {
      if (hasEnded) return
      const isNew = localStorage.getItem(prefix + name) === null
      try {
        localStorage.setItem(prefix + name, JSON.stringify({ value, savedAt: new Date().toISOString() } satisfies Kept))
      } catch {
        // Storage is full: the text is still in the editor.
      }
      if (isNew) raise()
    },
    drop: (name, value) => {
      const stored = localStorage.getItem(prefix + name)
      if (stored === null) return
      if (value !== undefined && JSON.stringify(parse(stored)?.value) !== JSON.stringify(value)) return
      localStorage.removeItem(prefix + name)
      raise()
    },
    count: () => names().length,
    end: () => {
      hasEnded = true
      for (const name of names()) localStorage.removeItem(name)
      raise()
    },
  }
}
