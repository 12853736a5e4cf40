import { useEffect, useState } from 'react'
import { isChangeOf, type KnowledgeItem, NotFoundError } from 'worklore-client'
import type { ItemAddress } from '../item-link'
import { useConsole } from '../store/console'
import type { KnowledgeEvent } from '../store/knowledge'
import { useObservable } from '../store/observable'

const isStaleEvent = ({ type }: { type: string }): boolean => type === 'knowledge.stale'

/** One knowledge item, kept up to date by events. */
export const useItem = (key: string, projectId: string | null) => {
  const { client, onEvent, generation, knowledge } = useConsole()
  const [item, setItem] = useState<KnowledgeItem>()
  const [error, setError] = useState<unknown>()
  const [end, setEnd] = useState<KnowledgeEvent>()
  const [attempt, setAttempt] = useState(0)
  const missed = useObservable(generation)

  // biome-ignore lint/correctness/useExhaustiveDependencies: read again when changes were missed or on demand
  useEffect(() => {
    const controller = new AbortController()
    client.knowledge
      .get(key, { signal: controller.signal, ...(projectId && { projectId }) })
      .then((read) => {
        setError(undefined)
        knowledge.add(read)
        setItem((now) => (now && now.version > read.version ? now : read))
      })
      .catch((cause) => {
        if (!controller.signal.aborted) setError(cause)
      })
    return () => controller.abort()
  }, [client, knowledge, key, projectId, missed, attempt])

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
        setError(undefined)
        const { data } = event
        // Who may read less than others sees fewer marks.
        const { content, ...rest } = data
        if (content === undefined || isStaleEvent(event)) setAttempt((value) => value + 1)
        else setItem((now) => (now && now.version > data.version ? now : { ...now, ...rest, content }))
      }),
    [onEvent, key, projectId],
  )

  return {
    item,
    error: error instanceof NotFoundError || !item ? error : undefined,
    /** Where the item of this key is now. */
    movedTo: error instanceof NotFoundError ? (error.fields.movedTo as ItemAddress | undefined) : undefined,
    /** The event that deleted or moved it while it was open. */
    end,
    reload: () => setAttempt((value) => value + 1),
    accept: (next: KnowledgeItem) => {
      setEnd(undefined)
      setError(undefined)
      knowledge.add(next)
      setItem(next)
    },
  }
}
