import { useEffect, useState } from 'react'
import { isChangeOf, type KnowledgeItem, NotFoundError } from 'worklore-client'
import type { ItemAddress } from '../item-link'
import { useConsole } from '../store/console'
import type { KnowledgeEvent } from '../store/knowledge'
import { useLoaded } from '../store/use-loaded'

const isStaleEvent = ({ type }: { type: string }): boolean => type === 'knowledge.stale'

/** One knowledge item, kept up to date by events. */
export const useItem = (key: string, projectId: string | null) => {
  const { client, onEvent, knowledge } = useConsole()
  const [end, setEnd] = useState<KnowledgeEvent>()
  const {
    data: item,
    error,
    reload,
    set,
  } = useLoaded(
    async (signal) => {
      const read = await client.knowledge.get(key, { signal, ...(projectId && { projectId }) })
      knowledge.add(read)
      return read
    },
    ['item', projectId, key],
  )

  useEffect(
    () =>
      onEvent((event) => {
        if (!isChangeOf(event, 'knowledge')) return
        const from = { ...event.data, ...event.previous }
        const isHere = event.data.key === key && (event.data.projectId ?? null) === projectId
        const wasHere = event.type === 'knowledge.moved' && from.key === key && (from.projectId ?? null) === projectId
        if (wasHere || (isHere && event.type === 'knowledge.deleted')) return setEnd(event)
        if (!isHere) return
        setEnd(undefined)
        const { data } = event
        // Who may read less than others sees fewer marks.
        const { content, ...rest } = data
        if (content === undefined || isStaleEvent(event) || error !== undefined) reload()
        else set((now) => (now.version > data.version ? now : { ...now, ...rest, content }))
      }),
    [onEvent, key, projectId, error, reload, set],
  )

  return {
    item,
    error: error instanceof NotFoundError || !item ? error : undefined,
    /** Where the item of this key is now. */
    movedTo: error instanceof NotFoundError ? (error.fields.movedTo as ItemAddress | undefined) : undefined,
    /** The event that deleted or moved it while it was open. */
    end,
    reload,
    accept: (next: KnowledgeItem) => {
      setEnd(undefined)
      knowledge.add(next)
      set((now) => (now.version > next.version ? now : next))
    },
  }
}
