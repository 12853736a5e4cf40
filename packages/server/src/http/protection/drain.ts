import cluster from 'node:cluster'
import { Server } from 'node:net'

const acceptMs = 3_000
const emptyTurns = 10
const quietMs = 100
const lookEveryMs = 20
/** Whoever holds a request open longer is cut off. */
const maxMs = 9_000

/** Each connection comes by a message from the process that listens, after the one before it was taken. */
const messageMs = 5

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const turn = (): Promise<void> =>
  cluster.isWorker ? pause(messageMs) : new Promise((resolve) => setImmediate(resolve))

/** The system has accepted connections that the process has not: it takes one in each turn of the event loop. */
const acceptAll = async (server: Server): Promise<void> => {
  let turnsWithout = 0
  const note = (): void => {
    turnsWithout = 0
  }
  server.on('connection', note)
  const endMs = performance.now() + acceptMs
  for (; turnsWithout < emptyTurns && performance.now() < endMs; turnsWithout++) await turn()
  server.off('connection', note)
}

/**
 * Takes no more connections, but reads and answers what has arrived over those there are. Closing an HTTP server cuts
 * off every connection whose request is still unread.
 */
export const drain = async (server: Server, isIdle: () => boolean): Promise<void> => {
  if (!server.listening) return
  await acceptAll(server)
  Server.prototype.close.call(server)
  const endMs = performance.now() + maxMs
  await pause(quietMs)
  while (!isIdle() && performance.now() < endMs) await pause(lookEveryMs)
}
