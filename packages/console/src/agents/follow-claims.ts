import type { Console } from '../store/console'

/** Renewals are no events, so claims are read again this often. */
const rereadEveryMs = 30_000
const maxClaims = 1_000

interface Reader {
  users: number
  timer: ReturnType<typeof setInterval>
  /** Ends with the first read, even if that fails. */
  first: Promise<void>
}

const readers = new WeakMap<Console, Reader>()

/** Resolves once the claims that are followed were read. */
export const claimsRead = (console: Console): Promise<void> => readers.get(console)?.first ?? Promise.resolve()

/** Keeps the claims of all tasks up to date, once for all parts of the page; returns a function that ends it. */
export const followClaims = (console: Console): (() => void) => {
  const { client, tasks } = console
  const read = (): Promise<void> =>
    client.tasks.cards({ claimed: true, limit: maxClaims }).then(
      (page) => tasks.add(page.data),
      () => undefined,
    )
  let reader = readers.get(console)
  if (!reader) {
    reader = { users: 0, timer: setInterval(read, rereadEveryMs), first: read() }
    readers.set(console, reader)
  }
  const current = reader
  current.users += 1
  return () => {
    current.users -= 1
    if (current.users > 0) return
    clearInterval(current.timer)
    readers.delete(console)
  }
}
