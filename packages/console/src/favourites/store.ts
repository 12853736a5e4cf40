import type { Me } from 'worklore-client'
import { formatQuery, type Query } from '../query'
import { createObservable, type Observable, useObservable } from '../store/base/observable'
import { useMe } from '../store/records'

/** A view of tasks that someone keeps in the sidebar. */
export interface Favourite {
  name: string
  /** Below `/console`, with its query. */
  address: string
}

export const maxFavourites = 50
export const maxNameLength = 80

const isFavourite = (value: unknown): value is Favourite => {
  const { name, address } = (value ?? {}) as Partial<Favourite>
  return typeof name === 'string' && typeof address === 'string' && /^\/(p\/|tasks\b)/.test(address)
}

const parse = (text: string | null): Favourite[] => {
  try {
    const read: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(read) ? read.filter(isFavourite).slice(0, maxFavourites) : []
  } catch {
    return []
  }
}

const lists = new Map<string, Observable<readonly Favourite[]>>()

/** Kept in this browser for a person of a tenant; a key without a user keeps its own. */
const listOf = ({ tenant, user, key }: Me): Observable<readonly Favourite[]> => {
  const storageKey = `worklore.favourites.${tenant.id}.${user?.id ?? key.id}`
  const existing = lists.get(storageKey)
  if (existing) return existing
  const list = createObservable<readonly Favourite[]>(parse(localStorage.getItem(storageKey)))
  list.subscribe(() => {
    try {
      localStorage.setItem(storageKey, JSON.stringify(list.get()))
    } catch {
      // Storage is full: they last as long as the page.
    }
  })
  // Another tab has changed them.
  addEventListener('storage', (event) => {
    if (event.key === storageKey && event.newValue !== JSON.stringify(list.get())) list.set(parse(event.newValue))
  })
  lists.set(storageKey, list)
  return list
}

/** The address of a view: the same for the same filters, whatever their order, and without what is open in it. */
export const viewAddress = (path: string, { task: _, edit: __, ...query }: Query): string => {
  const shown = Object.entries(query).filter(([name]) => !path.endsWith('/board') || name !== 'sort')
  return path + formatQuery(Object.fromEntries(shown.sort()))
}

export const useFavourites = () => {
  const list = listOf(useMe())
  return {
    favourites: useObservable(list),
    /** Whether there was room. */
    add: (favourite: Favourite): boolean => {
      if (list.get().length >= maxFavourites) return false
      list.update((all) => [...all, favourite])
      return true
    },
    remove: (address: string): void => list.update((all) => all.filter((each) => each.address !== address)),
    rename: (address: string, name: string): void =>
      list.update((all) => all.map((each) => (each.address === address ? { ...each, name } : each))),
  }
}
