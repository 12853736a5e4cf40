import { useCallback, useEffect, useRef, useState } from 'react'
import { NotFoundError, PreconditionFailedError } from 'worklore-client'
import { useConsole } from '../store/console'

const saveDelayMs = 300

interface Saved {
  version: number
  text: string
}

/** A text being edited, and what it was based on: restored onto a newer version it would undo someone's change. */
export interface Draft {
  text: string
  baseVersion: number
  baseText: string
}

interface DraftOptions {
  /** Storage name of the draft. */
  name: string
  /** The text as the service has it now. */
  current: Saved | undefined
  /** Writes the text if the record is still at that version; resolves with what was saved. */
  write: (text: string, ifMatch: number) => Promise<Saved>
  /** Reads the text as it is now. */
  read: () => Promise<Saved>
  /** Writes the text as a new record after the original was deleted. */
  writeNew?: (text: string) => Promise<Saved>
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
  /** Saving found the record deleted. */
  isGone: boolean
  /** Changes when the editor must show another text than the one typed. */
  resetKey: string
  setText: (text: string) => void
  save: () => Promise<void>
  /** Only with `writeNew`. */
  saveAsNew: () => Promise<void>
  keepMine: () => Promise<void>
  takeTheirs: () => void
  discard: () => void
}

/**
 * Edits a text that others may change meanwhile. The draft is kept in the browser with the version it was based on, and
 * nothing is ever saved over a version that was not seen.
 */
export const useDraft = ({ name, current, ...calls }: DraftOptions): DraftEditing => {
  const { drafts } = useConsole()
  const [state, setState] = useState(() => {
    const draft = drafts.read<Draft>(name)
    const now: Saved = current ?? { version: 0, text: '' }
    return draft && draft.text !== now.text
      ? { text: draft.text, base: { version: draft.baseVersion, text: draft.baseText }, isRestored: true, resets: 0 }
      : { text: now.text, base: now, isRestored: false, resets: 0 }
  })
  const [isSaving, setIsSaving] = useState(false)
  /** The version at which saving found the record deleted; it may come back at another. */
  const [goneAt, setGoneAt] = useState<number>()
  const { text, base } = state
  const isChanged = text !== base.text
  const latest = useRef(calls)
  latest.current = calls
  /** What was typed since the draft was kept last. */
  const unkept = useRef<Draft | null>(null)

  // A newer version with the same text is no conflict: the draft is rebased onto it.
  const isNewer = current !== undefined && current.version > base.version
  useEffect(() => {
    if (isNewer && current.text === base.text) {
      setState((value) => ({ ...value, base: current }))
    } else if (isNewer && !isChanged) {
      setState((value) => ({ ...value, text: current.text, base: current, resets: value.resets + 1 }))
    }
  }, [isNewer, current, base.text, isChanged])

  const drop = useCallback((): void => {
    unkept.current = null
    drafts.drop(name)
  }, [drafts, name])
  const keep = useCallback((): void => {
    if (unkept.current) drafts.save(name, unkept.current)
    unkept.current = null
  }, [drafts, name])

  useEffect(() => {
    if (!isChanged) return drop()
    unkept.current = { text, baseVersion: base.version, baseText: base.text }
    const timer = setTimeout(keep, saveDelayMs)
    return () => clearTimeout(timer)
  }, [text, base, isChanged, drop, keep])

  // Closing the editor or the page must not lose what the delay holds back.
  useEffect(() => {
    addEventListener('pagehide', keep)
    return () => {
      removeEventListener('pagehide', keep)
      keep()
    }
  }, [keep])

  const store = async (send: () => Promise<Saved>): Promise<void> => {
    setIsSaving(true)
    try {
      const saved = await send()
      drop()
      setState((value) => ({
        ...value,
        text: value.text === text ? saved.text : value.text,
        base: saved,
        isRestored: false,
      }))
      latest.current.onSaved(saved)
    } catch (error) {
      // Someone else's text is read by now, and the page shows both.
      if (error instanceof PreconditionFailedError) return
      if (error instanceof NotFoundError && latest.current.writeNew) setGoneAt(current?.version)
      else latest.current.onError(error)
    } finally {
      setIsSaving(false)
    }
  }

  /** The version rises with other fields too: only another text is a conflict. */
  const write = async (ifMatch: number): Promise<Saved> => {
    try {
      return await latest.current.write(text, ifMatch)
    } catch (error) {
      if (!(error instanceof PreconditionFailedError)) throw error
      const now = await latest.current.read()
      if (now.text === text) return now
      if (now.text !== base.text) throw error
      return latest.current.write(text, now.version)
    }
  }

  const writeNew = async (): Promise<Saved> => {
    try {
      return await latest.current.writeNew!(text)
    } catch (error) {
      if (error instanceof PreconditionFailedError) await latest.current.read()
      throw error
    }
  }

  const reset = (to: Saved): void => {
    drop()
    setState(({ resets }) => ({ text: to.text, base: to, isRestored: false, resets: resets + 1 }))
  }

  return {
    text,
    base,
    theirs: isNewer && isChanged && current.text !== base.text && current.text !== text ? current : null,
    isChanged,
    isSaving,
    isRestored: state.isRestored,
    isGone: goneAt !== undefined && goneAt === current?.version,
    resetKey: String(state.resets),
    setText: (next) => setState((value) => ({ ...value, text: next })),
    save: () => store(() => write(base.version)),
    saveAsNew: () => store(writeNew),
    keepMine: () => store(() => write(current?.version ?? base.version)),
    takeTheirs: () => reset(current ?? base),
    discard: () => reset(base),
  }
}
