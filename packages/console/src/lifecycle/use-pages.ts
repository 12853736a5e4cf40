import { useRef, useState } from 'react'
import type { Page } from 'worklore-client'
import { useConsole } from '../store/console'
import { useObservable } from '../store/observable'
import { useLoaded } from '../store/use-loaded'

/** Loads the first page of a list, and further pages on demand. A reload requests as many records as are shown. */
export const usePages = <T>(
  read: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<T>>,
  dependencies: readonly unknown[],
) => {
  const missed = useObservable(useConsole().generation)
  const [isLoadingMore, setIsLoadingMore] = useState(false)
  const list = JSON.stringify(dependencies)
  const shown = useRef({ list, count: 0 })
  if (shown.current.list !== list) shown.current = { list, count: 0 }
  const readShown = async (signal: AbortSignal): Promise<Page<T>> => {
    const { count } = shown.current
    let page = await read(undefined, signal)
    while (page.data.length < count && page.pagination?.nextCursor) {
      const next = await read(page.pagination.nextCursor, signal)
      page = { ...next, data: [...page.data, ...next.data] }
    }
    return page
  }
  const { data, error, reload, set } = useLoaded(readShown, [list, missed])
  const more = async (): Promise<void> => {
    if (!data?.pagination?.nextCursor) return
    setIsLoadingMore(true)
    try {
      const next = await read(data.pagination.nextCursor, new AbortController().signal)
      shown.current.count = data.data.length + next.data.length
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
