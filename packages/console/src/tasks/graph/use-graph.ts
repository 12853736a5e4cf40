import { useEffect, useMemo, useState } from 'react'
import { isOpen, type TaskCard } from '../../store/cards/task-card'
import { useConsole } from '../../store/console'
import { useCardView } from '../../store/records'
import type { Edge } from './layout'

/** More cannot be read on a screen. */
export const maxNodes = 300
/** Ids that a filter takes. */
const idsPerRequest = 50

export interface TaskGraph {
  cards: readonly TaskCard[]
  edges: readonly Edge[]
  /** Tasks of the view that could be drawn, but have no link to those that are. */
  unlinked: number
}

const chunksOf = (ids: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(ids.length / idsPerRequest) }, (_, index) =>
    ids.slice(index * idsPerRequest, (index + 1) * idsPerRequest),
  )

/**
 * What blocks what among the tasks of a view. Cards count their blockers; which ones they are is read for those that have
 * some, and again for those that change. Null until it is known; a number where there are too many tasks.
 */
export const useGraph = (shown: readonly TaskCard[], withClosed: boolean): TaskGraph | number | null => {
  const { client, tasks } = useConsole()
  const cards = useCardView()
  /** By task and version. */
  const [known, setKnown] = useState<ReadonlyMap<string, { version: number; ids: readonly string[] }>>(new Map())
  const blocked = useMemo(
    () => shown.filter((card) => (withClosed ? true : isOpen(card.statusCategory) && card.openBlockers > 0)),
    [shown, withClosed],
  )
  const isTooMuch = blocked.length > maxNodes
  const missing = isTooMuch
    ? ''
    : blocked
        .filter(({ id, version }) => (known.get(id)?.version ?? -1) < version)
        .map(({ id }) => id)
        .join()

  useEffect(() => {
    if (!missing) return
    const controller = new AbortController()
    const read = async (ids: readonly string[]): Promise<void> => {
      const { data } = await client.tasks.list({ id: ids.join(), limit: 100 }, { signal: controller.signal })
      const read = data.map(({ id, version, blockedBy }) => [id, { version, ids: blockedBy }] as const)
      const others = new Set(data.flatMap(({ blockedBy }) => blockedBy).filter((id) => !tasks.card(id)))
      for (const chunk of chunksOf([...others])) {
        tasks.add((await client.tasks.cards({ id: chunk.join() }, { signal: controller.signal })).data)
      }
      setKnown((before) => new Map([...before, ...read]))
    }
    // Tried again when something changes.
    Promise.all(chunksOf(missing.split(',')).map(read)).catch(() => undefined)
    return () => controller.abort()
  }, [client, tasks, missing])

  return useMemo(() => {
    if (isTooMuch) return blocked.length
    if (blocked.some(({ id }) => !known.has(id))) return null
    const nodes = new Map<string, TaskCard>()
    const edges: Edge[] = []
    for (const card of blocked) {
      for (const from of known.get(card.id)!.ids) {
        const blocker = cards.card(from)
        if (!blocker || (!withClosed && !isOpen(blocker.statusCategory))) continue
        nodes.set(from, blocker).set(card.id, card)
        edges.push({ from, to: card.id })
      }
    }
    if (nodes.size > maxNodes) return nodes.size
    // In the order of the view, so that the picture does not depend on what was read first.
    const drawn = [...nodes.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
    const unlinked = shown.filter(({ id, statusCategory }) => !nodes.has(id) && (withClosed || isOpen(statusCategory)))
    return { cards: drawn, edges, unlinked: unlinked.length }
  }, [shown, blocked, withClosed, isTooMuch, cards, known])
}
