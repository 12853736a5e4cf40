import { useMemo } from 'react'
import { useDelayed } from '../../components/use-delayed'
import { cardOf, type TaskCard } from '../../store/cards/task-card'
import { useConsole } from '../../store/console'
import { useLoaded } from '../../store/use-loaded'

const shown = 8
const minSearchLength = 2

interface Matches {
  cards: TaskCard[]
  isLoading: boolean
}

/** Tasks by id or title: those at hand at once, then what the service finds. */
export const useTaskMatches = (text: string, projectId: string | undefined, excluded: readonly string[]): Matches => {
  const { client, tasks } = useConsole()
  const wanted = text.trim().toLowerCase()
  const q = useDelayed(wanted)
  const { data: found, isLoading } = useLoaded(
    async (signal) => {
      if (q.length < minSearchLength) return []
      const { data } = await client.tasks.search(q, { limit: shown, ...(projectId && { projectId }) }, { signal })
      return data.map((task) => cardOf(task, tasks.card))
    },
    ['task matches', q, projectId],
  )
  const cards = useMemo(() => {
    if (!wanted) return []
    const matching = new Map<string, TaskCard>()
    const add = (card: TaskCard): void => {
      if (!excluded.includes(card.id) && (!projectId || card.projectId === projectId)) matching.set(card.id, card)
    }
    const exact = tasks.card(wanted.toUpperCase())
    if (exact) add(exact)
    for (const card of tasks.cards()) {
      if (matching.size >= shown) break
      if (card.id.toLowerCase().startsWith(wanted) || card.title.toLowerCase().includes(wanted)) add(card)
    }
    for (const card of found ?? []) add(card)
    return [...matching.values()].slice(0, shown)
  }, [tasks, wanted, found, projectId, excluded])
  return { cards, isLoading: isLoading || q !== wanted }
}
