import type { ChildProcess } from 'node:child_process'

interface Closable {
  close(): void
}

/** One connection at a time is on its way, for each of the few addresses that a name may stand for. */
const maxOnTheirWay = 4

/**
 * The primary of `node:cluster` closes its end of a connection once a process has taken it. If the process dies before,
 * nobody does, and the client waits for an answer for ever. Closing those that were handed over last closes it; the
 * others are closed already.
 */
export const closeUntakenConnections = (child: ChildProcess): void => {
  const handed: Closable[] = []
  const send = child.send.bind(child) as (...words: unknown[]) => boolean
  child.send = (message: unknown, handle?: unknown, ...rest: unknown[]): boolean => {
    if (typeof handle === 'object' && handle !== null) {
      handed.push(handle as Closable)
      if (handed.length > maxOnTheirWay) handed.shift()
    }
    return send(message, handle, ...rest)
  }
  child.once('exit', () => {
    for (const connection of handed) connection.close()
  })
}
