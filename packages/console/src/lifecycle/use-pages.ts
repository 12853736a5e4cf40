import { useState } from 'react'
import type { Page } from 'worklore-client'
import { useLoaded } from '../store/use-loaded'

/**
 * Loads the first page of a list, and further pages on demand. A reload requests as many records as are shown. `key` is that
 * of `useLoaded`.
 */
export const usePages = <T>(
  read: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<T>>,
  key: readonly unknown[],
) => {
  const [isLoadingMore, setIsLoadingMore] = useState(false)
  const readShown = async (signal: AbortSignal, before: Page<T> | undefined): Promise<Page<T>> => {
    let page = await read(undefined, signal)
    while (page.data.length < (before?.data.length ?? 0) && page.pagination?.nextCursor) {
      const next = await read(page.pagination.nextCursor, signal)
      page = { ...next, data: [...page.data, ...next.data] }
    }
    return page
  }
  const { data, error, reload, set } = useLoaded(readShown, key)
  const more = async (): Promise<void> => {
    if (!data?.pagination?.nextCursor) return
    setIsLoadingMore(true)
    try {
      const next = await read(data.pagination.nextCursor, new AbortController().signal)
      // If the list was reloaded in the meantime, drop the page.
      set((now) => (now === data ? { ...next, data: [...now.data, ...next.data] } : now))
    } catch {
      // The button stays, to try again.
    } finally {
      setIsLoadingMore(false)
    }
  }
  return { records: data?.data, hasMore: data?.pagination?.hasMore === true, error, reload, more, isLoadingMore }
}
