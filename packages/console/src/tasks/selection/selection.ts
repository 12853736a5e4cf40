import { createContext, useContext, useEffect, useSyncExternalStore } from 'react'
import { createObservable, type Observable } from '../../store/base/observable'
import type { TaskCard } from '../../store/cards/task-card'

/** Tasks that can be changed together. */
export const maxSelected = 1_000

/** The tasks that the filter lets through, whether the view shows them or has them folded away. */
export interface Matching {
  ids: readonly string[]
  /** More may come. */
  isPartial: boolean
}

/** Tasks that are selected to be changed together. */
export interface Selection {
  /** Null while none are being selected. */
  ids: Observable<ReadonlySet<string> | null>
  /** The tasks of the view, in order. */
  shown: Observable<readonly string[]>
  matching: Observable<Matching>
  start(): void
  toggle(id: string): void
  /** Selects all from the one chosen last to this one. */
  extendTo(id: string): void
  /** Selects what matches, and what is found to match while tasks are still being loaded. */
  selectAll(): void
  /** Selects these only, such as those that were refused. */
  set(ids: readonly string[]): void
  end(): void
  /** Ends it once none of the selected tasks match any more, such as after they were changed. */
  endOnceGone(): void
  /** Tells which tasks match. One that no longer matches is no longer selected. */
  match(matching: Matching): void
}

export const createSelection = (): Selection => {
  const ids = createObservable<ReadonlySet<string> | null>(null)
  const shown = createObservable<readonly string[]>([])
  const matching = createObservable<Matching>({ ids: [], isPartial: true })
  let last: string | null = null
  let wantsAll = false
  let endsOnceGone = false
  const put = (next: Iterable<string>): void => {
    wantsAll = false
    endsOnceGone = false
    ids.set(new Set([...next].slice(0, maxSelected)))
  }
  const now = (): Set<string> => new Set(ids.get())
  const toggle = (id: string): void => {
    const next = now()
    if (!next.delete(id)) next.add(id)
    last = id
    put(next)
  }
  const end = (): void => {
    last = null
    wantsAll = false
    endsOnceGone = false
    ids.set(null)
  }
  const selectAll = (): void => {
    put(matching.get().ids)
    wantsAll = matching.get().isPartial
  }
  return {
    ids,
    shown,
    matching,
    start: () => put(now()),
    toggle,
    extendTo: (id) => {
      const order = shown.get()
      const [from, to] = [last === null ? -1 : order.indexOf(last), order.indexOf(id)].sort((a, b) => a - b)
      if (from! < 0) return toggle(id)
      last = id
      put([...now(), ...order.slice(from, to! + 1)])
    },
    selectAll,
    set: put,
    end,
    endOnceGone: () => {
      endsOnceGone = true
      if (ids.get()?.size === 0) end()
    },
    match: (next) => {
      matching.set(next)
      const selected = ids.get()
      if (!selected) return
      if (next.ids.length === 0 && !next.isPartial) return end()
      if (wantsAll) return selectAll()
      const all = new Set(next.ids)
      const left = [...selected].filter((id) => all.has(id))
      if (left.length === 0 && endsOnceGone) end()
      else if (left.length < selected.size) ids.set(new Set(left))
    },
  }
}

export const SelectionContext = createContext<Selection>(createSelection())

export const useSelection = (): Selection => useContext(SelectionContext)

/** Whether a task is selected. */
export const useIsSelected = (id: string): boolean => {
  const { ids } = useSelection()
  return useSyncExternalStore(ids.subscribe, () => ids.get()?.has(id) ?? false)
}

/** Tells which tasks a view shows, in order. */
export const useShown = (order: readonly string[]): void => {
  const { shown } = useSelection()
  useEffect(() => shown.set(order), [shown, order])
}

/** Tells which tasks the filter lets through. */
export const useMatching = (cards: readonly TaskCard[], isPartial: boolean): void => {
  const { match } = useSelection()
  useEffect(() => match({ ids: cards.map(({ id }) => id), isPartial }), [match, cards, isPartial])
}
