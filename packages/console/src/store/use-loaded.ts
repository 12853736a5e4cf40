import { useCallback, useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react'
import type { Load, Read } from './base/loads'
import { useConsole } from './console'

interface Loaded<T> {
  data: T | undefined
  error: unknown
  isLoading: boolean
  reload: () => void
  set: (change: (data: T) => T) => void
}

const unread: Load<never> = { isLoading: true }

/**
 * Reads something from the service, and again after missed changes. `key` begins with a name and contains all that the
 * read depends on: components with equal keys share the data. Shows the data of the previous key until the new data is there.
 */
export const useLoaded = <T>(read: Read<T>, key: readonly unknown[]): Loaded<T> => {
  const { loads } = useConsole()
  const name = JSON.stringify(key)
  const subscribe = useCallback((listener: () => void) => loads.subscribe(name, listener), [loads, name])
  const state = useSyncExternalStore(subscribe, () => loads.stateOf(name) ?? unread) as Load<T>
  const readNow = useEffectEvent(read)
  useEffect(() => loads.hold(name, (signal, before) => readNow(signal, before as T | undefined)), [loads, name])
  const [shown, setShown] = useState(state.data)
  if (state.data !== undefined && state.data !== shown) setShown(state.data)
  const reload = useCallback(() => loads.reload(name), [loads, name])
  const set = useCallback(
    (change: (data: T) => T): void => loads.change(name, (data) => change(data as T)),
    [loads, name],
  )
  return { data: state.data ?? shown, error: state.error, isLoading: state.isLoading, reload, set }
}
