import { useState } from 'react'
import type { Page } from 'worklore-client'
import { useConsole } from '../store/console'
import { useObservable } from '../store/observable'
import { useLoaded } from '../store/use-loaded'

/** A list by pages: the first, and more on demand. It is read again when a dependency changes. */
export const usePages = <T>(
  read: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<T>>,
  dependencies: readonly unknown[],
) => {
  const missed = useObservable(useConsole().generation)
  const [isLoadingMore, setIsLoadingMore] = useState(false)
  const { data, error, reload, set } = useLoaded((signal) => read(undefined, signal), [...dependencies, missed])
  const more = async (): Promise<void> => {
    if (!data?.pagination?.nextCursor) return
    setIsLoadingMore(true)
    try {
      const next = await read(data.pagination.nextCursor, new AbortController().signal)
      // Another first page was read meanwhile.
      set((now) => (now === data ? { ...next, data: [...now.data, ...next.data] } : now))
    } catch {
      // The button stays, to try again.
    } finally {
      setIsLoadingMore(false)
    }
  }
  return { records: data?.data, hasMore: data?.pagination?.hasMore === true, error, reload, more, isLoadingMore }
}
