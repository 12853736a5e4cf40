import { createObservable, type Observable } from './observable'

interface Kept {
  value: unknown
  savedAt: string
}

const everyPrefix = 'worklore.draft.'
/** Drafts of this age are dropped. */
const maxAgeMs = 30 * 24 * 60 * 60 * 1000
/** Of more drafts than this, the oldest are dropped. */
const maxDrafts = 100

/** What was written and not sent, kept in this browser for the next person who signs in to the tenant. */
export interface Drafts {
  /** Rises when there is a draft more or less. */
  revision: Observable<number>
  read<T>(name: string): T | null
  save(name: string, value: unknown): void
  drop(name: string): void
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

export const createDrafts = (tenantId: string): Drafts => {
  dropOld()
  const prefix = `${everyPrefix}${tenantId}.`
  const revision = createObservable(0)
  const raise = (): void => revision.update((value) => value + 1)
  return {
    revision,
    read: <T>(name: string) => (parse(localStorage.getItem(prefix + name))?.value ?? null) as T | null,
    save: (name, value) => {
      const isNew = localStorage.getItem(prefix + name) === null
      try {
        localStorage.setItem(prefix + name, JSON.stringify({ value, savedAt: new Date().toISOString() } satisfies Kept))
      } catch {
        // Storage is full: the text is still in the editor.
      }
      if (isNew) raise()
    },
    drop: (name) => {
      if (localStorage.getItem(prefix + name) === null) return
      localStorage.removeItem(prefix + name)
      raise()
    },
  }
}
