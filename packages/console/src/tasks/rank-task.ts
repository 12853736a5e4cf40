import type { Place } from '../store/cards/task-card'
import type { Tasks } from '../store/cards/tasks'
import type { Console } from '../store/console'

/** The event of a rank is awaited this long; then the answer is believed without it. */
const maxEventWaitMs = 10_000

/** Ranks are set one after the other: each is relative to those before. */
let lastRank: Promise<unknown> = Promise.resolve()

/** The place that a task has now. */
export const placeOf = (tasks: Tasks, id: string): Place | undefined => {
  const card = tasks.card(id)
  if (!card) return undefined
  const cards = tasks.cardsOf(card.projectId, 'rank')
  const at = cards.findIndex((each) => each.id === id)
  const [above, below] = [cards[at - 1], cards[at + 1]]
  return above ? { after: above.id } : below ? { before: below.id } : { to: 'top' }
}

/** A rank between two neighbours, until the service has given one. */
const rankAt = (tasks: Tasks, id: string, { before, after, to }: Place): number | undefined => {
  const projectId = tasks.card(id)?.projectId
  const others = projectId === undefined ? [] : tasks.cardsOf(projectId, 'rank').filter((each) => each.id !== id)
  const beside = others.findIndex((each) => each.id === (before ?? after))
  if (others.length === 0 || (to === undefined && beside < 0)) return undefined
  const at = to === 'top' ? 0 : to === 'bottom' ? others.length : beside + (after === undefined ? 0 : 1)
  const above = others[at - 1]?.rank
  const below = others[at]?.rank
  return ((above ?? below! - 2) + (below ?? above! + 2)) / 2
}

/** Sets a rank and waits for its event, so that the events of earlier ranks do not show. */
const send = async ({ client, tasks, onEvent }: Console, id: string, place: Place, before?: number): Promise<void> => {
  const told = new Set<number>()
  let onTold = (): void => undefined
  const stop = onEvent((event) => {
    if (event.type !== 'task.ranked' || event.data.id !== id) return
    told.add(event.data.rank)
    onTold()
  })
  try {
    const sent = lastRank.then(() => client.tasks.rank(id, place))
    lastRank = sent.catch(() => undefined)
    const { rank } = await sent
    // One that was there already has no event.
    if (told.has(rank) || rank === before) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, maxEventWaitMs)
      onTold = () => {
        if (!told.has(rank)) return
        clearTimeout(timer)
        resolve()
      }
    })
    if (!told.has(rank)) tasks.setRank(id, rank)
  } finally {
    stop()
  }
}

/** Puts a task elsewhere among those of its project, after another change of it; shows it at once. */
export const rankTask = (console: Console, id: string, place: Place, first?: Promise<unknown>): Promise<void> => {
  const { tasks } = console
  const before = tasks.card(id)?.rank
  const rank = rankAt(tasks, id, place)
  return tasks.withOptimistic(id, rank === undefined ? {} : { rank }, async () => {
    await first
    await send(console, id, place, before)
  })
}
