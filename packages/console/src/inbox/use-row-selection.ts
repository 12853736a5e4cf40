import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { Row } from './rows'

interface RowSelection {
  selected: Row | undefined
  select(id: string): void
  move(step: 1 | -1): Row | undefined
  /** Call before the row goes; the function that it returns goes on to the next one. */
  leave(id: string): () => void
}

/**
 * The row that the keys act on. A row that goes because of someone else takes the selection with it: the key that was
 * about to be pressed must not decide the next one.
 */
export const useRowSelection = (rows: readonly Row[], selectsFirst: boolean): RowSelection => {
  const [id, setId] = useState<string | null>(null)
  /** Also for who waited for the service while the selection moved on. */
  const latestId = useRef(id)
  const lastAt = useRef(0)
  const isFocusWanted = useRef(false)
  const at = rows.findIndex((row) => row.id === id)
  useLayoutEffect(() => {
    latestId.current = id
    if (at >= 0) lastAt.current = at
  }, [id, at])

  const first = rows[0]?.id
  useEffect(() => {
    if (selectsFirst && id === null && first !== undefined) setId(first)
  }, [selectsFirst, id, first])

  useEffect(() => {
    if (!isFocusWanted.current || id === null) return
    isFocusWanted.current = false
    const element = document.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`)
    element?.scrollIntoView({ block: 'nearest' })
    // An open task or a text that is being written keeps the focus.
    const focused = document.activeElement
    if (focused && focused !== document.body && !focused.closest('[data-row]')) return
    element?.querySelector<HTMLElement>('a, button')?.focus({ preventScroll: true })
  }, [id])

  const go = (row: Row | undefined): Row | undefined => {
    if (row && row.id !== id) {
      isFocusWanted.current = true
      setId(row.id)
    }
    return row
  }
  const clamp = (index: number): number => Math.max(0, Math.min(rows.length - 1, index))
  return {
    selected: rows[at],
    select: setId,
    move: (step) => go(rows[clamp(at < 0 ? lastAt.current : at + step)]),
    leave: (left) => {
      const index = rows.findIndex((row) => row.id === left)
      const next = rows[index + 1] ?? rows[index - 1]
      return () => {
        if (latestId.current === left || latestId.current === null) go(next)
      }
    },
  }
}
