import { Server } from 'node:net'

const turns = 3
const quietMs = 100
const lookEveryMs = 20
/** Whoever holds a request open longer is cut off. */
const longestMs = 9_000

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/**
 * Takes no more connections, but reads and answers what has arrived over those there are. Closing an HTTP server cuts
 * off every connection whose request is still unread.
 */
export const drain = async (server: Server, isIdle: () => boolean): Promise<void> => {
  if (!server.listening) return
  // What the system has accepted already is taken in a turn of the event loop.
  for (let count = 0; count < turns; count++) await turn()
  Server.prototype.close.call(server)
  const endMs = performance.now() + longestMs
  await pause(quietMs)
  while (!isIdle() && performance.now() < endMs) await pause(lookEveryMs)
}
