import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { NotFoundError, PreconditionFailedError } from 'worklore-client'
import { loadPart } from '../components/on-demand'
import { createObservable, useObservable } from '../store/base/observable'
import type { WriteOptions } from '../store/cards/tasks'
import { useConsole } from '../store/console'
import { newRequestId, undoOf } from '../undo/undo-request'
import type { Choice, Part } from './merge'

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
  /** What `u` says that it has put back. */
  undoneAs: string
  /** The text as the service has it now. */
  current: Saved | undefined
  /** Writes the text if the record is still at that version; resolves with what was saved. */
  write: (text: string, options: WriteOptions & { ifMatch: number }) => Promise<Saved>
  /** Reads the text as it is now. */
  read: () => Promise<Saved>
  /** Writes the text as a new record after the original was deleted. */
  writeNew?: (text: string) => Promise<Saved>
  onSaved: (saved: Saved) => void
  onError: (error: unknown) => void
}

/** Someone else's text, saved since this one was begun, that changed the same lines. */
export interface Theirs extends Saved {
  /** Both texts, with the places where they overlap. */
  parts: readonly Part[]
}

/** What others saved while this text was edited, and is part of it since. */
interface Merged {
  before: Saved
  after: Saved
}

interface State {
  text: string
  base: Saved
  isRestored: boolean
  merged: Merged | null
  /** How often another text than the one typed was put in its place. */
  resets: number
}

export interface DraftEditing {
  text: string
  base: Saved
  theirs: Theirs | null
  merged: Merged | null
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
  /** Saves this text where both overlap. */
  keepMine: () => Promise<void>
  /** Goes on with what was chosen for each place where both overlap. */
  resolve: (choiceOf: (overlap: number) => Choice) => void
  discard: () => void
}

/** What merges texts, loaded when it is first needed. */
const useMerge = (isNeeded: boolean): typeof import('./merge') | undefined => {
  const [merge, setMerge] = useState<typeof import('./merge')>()
  useEffect(() => {
    if (isNeeded && !merge) void loadPart(() => import('./merge')).then(setMerge)
  }, [isNeeded, merge])
  return merge
}

/**
 * Edits a text that others may change meanwhile. What they change elsewhere in it is merged. The draft is kept in the browser
 * with the version it was based on, and nothing is ever saved over a version that was not seen.
 */
export const useDraft = ({ name, undoneAs, current, ...calls }: DraftOptions): DraftEditing => {
  const app = useConsole()
  const { drafts } = app
  // Not React's state: what is typed must be known at once, for a merge not to miss it.
  const [state] = useState(() => {
    const draft = drafts.read<Draft>(name)
    const now: Saved = current ?? { version: 0, text: '' }
    const isRestored = draft !== null && draft.text !== now.text
    return createObservable<State>({
      text: isRestored ? draft.text : now.text,
      base: isRestored ? { version: draft.baseVersion, text: draft.baseText } : now,
      isRestored,
      merged: null,
      resets: 0,
    })
  })
  const { text, base, isRestored, merged, resets } = useObservable(state)
  const [isSaving, setIsSaving] = useState(false)
  /** The version at which saving found the record deleted; it may come back at another. */
  const [goneAt, setGoneAt] = useState<number>()
  const isChanged = text !== base.text
  const latest = useRef(calls)
  useLayoutEffect(() => {
    latest.current = calls
  })
  /** What was typed since the draft was kept last. */
  const unkept = useRef<Draft | null>(null)

  const isNewer = current !== undefined && current.version > base.version
  const newText = isNewer ? current.text : base.text
  const differs = isChanged && newText !== base.text && newText !== text
  const merge = useMerge(differs)
  const parts = useMemo(
    () => (differs && merge ? merge.mergeTexts(base.text, text, newText) : null),
    [differs, merge, base.text, text, newText],
  )
  const theirs = parts?.some((part) => merge!.isOverlap(part)) ? { ...current!, parts } : null

  // Before the browser goes on: nothing can be typed between a merge and the editor that shows it.
  useLayoutEffect(() => {
    // The same text may be this one, shown before the service has accepted it.
    const isUndecided = isChanged && newText !== base.text && !parts
    if (!isNewer || theirs || isUndecided) return
    // With the same text as before, a newer version is no conflict.
    const next = parts ? merge!.resolveText(parts, () => 'mine') : isChanged ? text : newText
    const changes = { before: merged?.before ?? base, after: current }
    state.update((value) =>
      next === text
        ? { ...value, base: current }
        : { ...value, text: next, base: current, resets: resets + 1, merged: parts ? changes : null },
    )
  })

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
      state.update((value) => ({
        ...value,
        text: value.text === text ? saved.text : value.text,
        base: saved,
        isRestored: false,
        merged: null,
      }))
      latest.current.onSaved(saved)
    } catch (error) {
      // Someone else's text is read by now, and is merged or shown beside this one.
      if (error instanceof PreconditionFailedError) return
      if (error instanceof NotFoundError && latest.current.writeNew) setGoneAt(current?.version)
      else latest.current.onError(error)
    } finally {
      setIsSaving(false)
    }
  }

  /** The version rises with other fields too: only another text is a conflict. */
  const write = async (written: string, { version, text: seen }: Saved, requestId: string): Promise<Saved> => {
    try {
      return await latest.current.write(written, { ifMatch: version, requestId })
    } catch (error) {
      if (!(error instanceof PreconditionFailedError)) throw error
      const now = await latest.current.read()
      if (now.text === written) return now
      if (now.text !== seen) throw error
      return latest.current.write(written, { ifMatch: now.version, requestId })
    }
  }

  const writeUndoably = async (written: string, seen: Saved): Promise<Saved> => {
    const requestId = newRequestId()
    const saved = await write(written, seen, requestId)
    app.undo.push(undoOf(app, undoneAs, requestId))
    return saved
  }

  const writeNew = async (): Promise<Saved> => {
    try {
      return await latest.current.writeNew!(text)
    } catch (error) {
      if (error instanceof PreconditionFailedError) await latest.current.read()
      throw error
    }
  }

  const reset = (next: string, to: Saved): void =>
    state.update((value) => ({
      ...value,
      text: next,
      base: to,
      isRestored: false,
      merged: null,
      resets: value.resets + 1,
    }))

  return {
    text,
    base,
    theirs,
    merged: isChanged ? merged : null,
    isChanged,
    isSaving,
    isRestored,
    isGone: goneAt !== undefined && goneAt === current?.version,
    resetKey: String(resets),
    setText: (next) => state.update((value) => (value.text === next ? value : { ...value, text: next })),
    save: () => store(() => writeUndoably(text, base)),
    saveAsNew: () => store(writeNew),
    keepMine: async () => {
      if (theirs)
        await store(() =>
          writeUndoably(
            merge!.resolveText(theirs.parts, () => 'mine'),
            theirs,
          ),
        )
    },
    resolve: (choiceOf) => {
      if (theirs) reset(merge!.resolveText(theirs.parts, choiceOf), { version: theirs.version, text: theirs.text })
    },
    discard: () => {
      drop()
      reset(base.text, base)
    },
  }
}
