import type { TaskCard } from '../store/cards/task-card'
import type { Console } from '../store/console'

/** Renewals are no events, so claims are read again this often. */
const rereadEveryMs = 30_000
const claimsPerPage = 1_000
const maxClaims = 10_000

interface Reader {
  users: number
  end(): void
  /** Ends with the first read, even if that fails. */
  first: Promise<void>
}

const readers = new WeakMap<Console, Reader>()

/** Resolves once the claims that are followed were read. */
export const claimsRead = (console: Console): Promise<void> => readers.get(console)?.first ?? Promise.resolve()

/** Keeps the claims of all tasks up to date, once for all parts of the page; returns a function that ends it. */
export const followClaims = (console: Console): (() => void) => {
  const { client, tasks, live } = console
  const read = async (): Promise<TaskCard[]> => {
    const cards: TaskCard[] = []
    for await (const { data } of client.tasks.cards({ claimed: true, limit: claimsPerPage }).pages()) {
      cards.push(...data)
      if (cards.length >= maxClaims) break
    }
    return cards
  }
  let reader = readers.get(console)
  if (!reader) {
    const shared = live.share('claims', read, tasks.add)
    const timer = setInterval(shared.read, rereadEveryMs)
    const end = (): void => {
      clearInterval(timer)
      shared.end()
    }
    reader = { users: 0, end, first: read().then(tasks.add, () => undefined) }
    readers.set(console, reader)
  }
  const current = reader
  current.users += 1
  return () => {
    current.users -= 1
    if (current.users > 0) return
    current.end()
    readers.delete(console)
  }
}
