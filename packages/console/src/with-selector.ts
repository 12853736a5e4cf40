import { useRef, useSyncExternalStore } from 'react'

/** What the router asks of `use-sync-external-store`, which also serves older versions of React: see vite.config.ts. */
export const useSyncExternalStoreWithSelector = <T, S>(
  subscribe: (listener: () => void) => () => void,
  read: () => T,
  _readOnServer: unknown,
  select: (value: T) => S,
  isEqual: (before: S, now: S) => boolean,
): S => {
  const last = useRef<{ selected: S }>(null)
  return useSyncExternalStore(subscribe, () => {
    const selected = select(read())
    if (!last.current || !isEqual(last.current.selected, selected)) last.current = { selected }
    return last.current.selected
  })
}
