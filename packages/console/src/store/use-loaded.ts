import { useCallback, useEffect, useRef, useState } from 'react'

interface Loaded<T> {
  data: T | undefined
  error: unknown
  isLoading: boolean
  reload: () => void
  set: (change: (data: T) => T) => void
}

/** After this many changes during one read, it is started again instead of remembering them. */
const maxChangesDuringRead = 100

/**
 * Reads something from the service, and again when a dependency changes. Shows the previous data until the new data is there.
 * `set` changes the data; a read that is under way may not include the change, so it is applied to its result too.
 */
export const useLoaded = <T>(
  read: (signal: AbortSignal) => Promise<T>,
  dependencies: readonly unknown[],
): Loaded<T> => {
  const [state, setState] = useState<{ data?: T; error?: unknown; isLoading: boolean }>({ isLoading: true })
  const [attempt, setAttempt] = useState(0)
  const latestRead = useRef(read)
  latestRead.current = read
  const changesDuringRead = useRef<((data: T) => T)[]>(undefined)

  // biome-ignore lint/correctness/useExhaustiveDependencies: the caller names them
  useEffect(() => {
    const controller = new AbortController()
    const changes: ((data: T) => T)[] = []
    changesDuringRead.current = changes
    setState((value) => ({ ...value, isLoading: true }))
    latestRead
      .current(controller.signal)
      .then((data) => {
        if (controller.signal.aborted) return
        changesDuringRead.current = undefined
        setState({ data: changes.reduce((value, change) => change(value), data), isLoading: false })
      })
      .catch((error) => {
        if (controller.signal.aborted) return
        changesDuringRead.current = undefined
        setState((value) => ({ ...value, error, isLoading: false }))
      })
    return () => controller.abort()
  }, [...dependencies, attempt])

  const reload = useCallback(() => setAttempt((value) => value + 1), [])
  const set = useCallback(
    (change: (data: T) => T): void => {
      changesDuringRead.current?.push(change)
      if (changesDuringRead.current && changesDuringRead.current.length > maxChangesDuringRead) reload()
      setState((value) => (value.data === undefined ? value : { ...value, data: change(value.data) }))
    },
    [reload],
  )

  return {
    data: state.data,
    error: state.error,
    isLoading: state.isLoading,
    reload,
    set,
  }
}
