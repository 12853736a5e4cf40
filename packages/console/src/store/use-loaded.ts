import { useCallback, useEffect, useRef, useState } from 'react'

interface Loaded<T> {
  data: T | undefined
  error: unknown
  isLoading: boolean
  reload: () => void
  set: (change: (data: T) => T) => void
}

/** Reads something from the service, and again when a dependency changes; keeps showing what it had meanwhile. */
export const useLoaded = <T>(
  read: (signal: AbortSignal) => Promise<T>,
  dependencies: readonly unknown[],
): Loaded<T> => {
  const [state, setState] = useState<{ data?: T; error?: unknown; isLoading: boolean }>({ isLoading: true })
  const [attempt, setAttempt] = useState(0)
  const latestRead = useRef(read)
  latestRead.current = read

  // biome-ignore lint/correctness/useExhaustiveDependencies: the caller names them
  useEffect(() => {
    const controller = new AbortController()
    setState((value) => ({ ...value, isLoading: true }))
    latestRead
      .current(controller.signal)
      .then((data) => {
        if (!controller.signal.aborted) setState({ data, isLoading: false })
      })
      .catch((error) => {
        if (!controller.signal.aborted) setState((value) => ({ ...value, error, isLoading: false }))
      })
    return () => controller.abort()
  }, [...dependencies, attempt])

  return {
    data: state.data,
    error: state.error,
    isLoading: state.isLoading,
    reload: useCallback(() => setAttempt((value) => value + 1), []),
    set: useCallback((change) => setState((value) => ({ ...value, data: change(value.data as T) })), []),
  }
}
