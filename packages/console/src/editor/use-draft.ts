import { useCallback, useEffect, useRef, useState } from 'react'
import { PreconditionFailedError } from 'worklore-client'
import { dropDraft, readDraft, saveDraft } from '../store/drafts'

const saveDelayMs = 300

export interface Saved {
  version: number
  text: string
}

interface DraftOptions {
  /** Under which the draft is kept. */
  name: string
  /** The text as the service has it now. */
  current: Saved | undefined
  /** Writes the text if the record is still at that version; resolves with what was saved. */
  write: (text: string, ifMatch: number) => Promise<Saved>
  /** Reads the text as it is now. */
  read: () => Promise<Saved>
  onSaved: (saved: Saved) => void
  onError: (error: unknown) => void
}

export interface DraftEditing {
  text: string
  base: Saved
  /** Someone else's text, saved since this one was begun. */
  theirs: Saved | null
  isChanged: boolean
  isSaving: boolean
  isRestored: boolean
  /** Changes when the editor must show another text than the one typed. */
  resetKey: string
  setText: (text: string) => void
  save: () => Promise<void>
  keepMine: () => Promise<void>
  takeTheirs: () => void
  discard: () => void
}

/**
 * Edits a text that others may change meanwhile. The draft is kept in the browser with the version it was based on, and
 * nothing is ever saved over a version that was not seen.
 */
export const useDraft = ({ name, current, write, read, onSaved, onError }: DraftOptions): DraftEditing => {
  const [state, setState] = useState(() => {
    const draft = readDraft(name)
    const now: Saved = current ?? { version: 0, text: '' }
    return draft && draft.text !== now.text
      ? { text: draft.text, base: { version: draft.baseVersion, text: draft.baseText }, isRestored: true, resets: 0 }
      : { text: now.text, base: now, isRestored: false, resets: 0 }
  })
  const [isSaving, setIsSaving] = useState(false)
  const { text, base } = state
  const isChanged = text !== base.text
  const latest = useRef({ write, read, onSaved, onError })
  latest.current = { write, read, onSaved, onError }

  // Another version with the same text is nothing to ask about: the draft simply goes on from it.
  const isNewer = current !== undefined && current.version > base.version
  useEffect(() => {
    if (isNewer && current.text === base.text) {
      setState((value) => ({ ...value, base: current }))
    } else if (isNewer && !isChanged) {
      setState((value) => ({ ...value, text: current.text, base: current, resets: value.resets + 1 }))
    }
  }, [isNewer, current, base.text, isChanged])

  useEffect(() => {
    if (!isChanged) return dropDraft(name)
    const timer = setTimeout(
      () => saveDraft(name, { text, baseVersion: base.version, baseText: base.text }),
      saveDelayMs,
    )
    return () => clearTimeout(timer)
  }, [name, text, base, isChanged])

  const store = useCallback(
    async (ifMatch: number, isRetry = false): Promise<void> => {
      setIsSaving(true)
      try {
        const saved = await latest.current.write(text, ifMatch)
        dropDraft(name)
        setState((value) => ({ ...value, base: saved, isRestored: false }))
        latest.current.onSaved(saved)
      } catch (error) {
        if (!(error instanceof PreconditionFailedError) || isRetry) return latest.current.onError(error)
        // The version rises with other fields too; only another text is a conflict, and the page shows that one itself.
        const now = await latest.current.read()
        if (now.text === base.text) await store(now.version, true)
        else latest.current.onError(error)
      } finally {
        setIsSaving(false)
      }
    },
    [name, text, base.text],
  )

  return {
    text,
    base,
    theirs: isNewer && isChanged && current.text !== base.text && current.text !== text ? current : null,
    isChanged,
    isSaving,
    isRestored: state.isRestored,
    resetKey: String(state.resets),
    setText: (next) => setState((value) => ({ ...value, text: next })),
    save: () => store(base.version),
    keepMine: () => store(current?.version ?? base.version),
    takeTheirs: () => {
      dropDraft(name)
      if (current)
        setState((value) => ({ text: current.text, base: current, isRestored: false, resets: value.resets + 1 }))
    },
    discard: () => {
      dropDraft(name)
      setState((value) => ({ ...value, text: base.text, isRestored: false, resets: value.resets + 1 }))
    },
  }
}
