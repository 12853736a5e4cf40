import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { clientOf } from '../../base/client-address.js'

export interface ConnectionSettings {
  maxConnections: number
  /** Infinity where all clients come through proxies and share their addresses. */
  maxPerAddress: number
  /** Requests of one connection that are worked on while an earlier one is unanswered. */
  maxUnanswered: number
  /** Requests of one connection that were read with the others and wait; a connection with more is closed. */
  maxWaiting: number
  /** With this much unsent, a connection's next request waits. */
  maxUnsentBytes: number
  /** Beyond this much unsent on all connections, those with the most are closed. */
  maxUnsentBytesInAll: number
  /** A connection whose peer reads nothing of an answer for so long is closed. */
  stalledAfterMs: number
  checkEveryMs: number
}

export const connectionSettings = {
  maxUnanswered: 32,
  maxWaiting: 1_024,
  maxUnsentBytes: 262_144,
  maxUnsentBytesInAll: 268_435_456,
  stalledAfterMs: 30_000,
  checkEveryMs: 1_000,
}

type ClosedFor = 'address' | 'pipelining' | 'stalled' | 'unsent'

interface Connection {
  socket: Socket
  /** In the order of their requests. */
  unanswered: ServerResponse[]
  waiting: [request: IncomingMessage, response: ServerResponse][]
  /** What had been sent when it was last checked, and for how many checks it has been no more. */
  sentBytes: number
  stalledChecks: number
}

const unsentBytes = ({ socket, unanswered }: Connection): number => {
  let bytes = socket.writableLength
  // An answer that is not the first in line has no socket yet and holds its bytes itself.
  for (const response of unanswered) if (response.socket === null) bytes += response.writableLength
  return bytes
}

/** Node tells only the answer that is being sent of the end of its connection, not those behind it. */
const closeQueued = (response: ServerResponse): void => {
  if (response.socket !== null) return
  response.destroyed = true
  response.emit('close')
}

export interface SupervisedConnections {
  /** Closes those that never sent anything, as browsers open them in advance: Node counts them as busy. */
  closeUnused(): void
}

/**
 * Serves requests so that no connection takes more than its share: pipelined requests wait for answers to be read,
 * and a peer that does not read is cut off.
 */
export const superviseConnections = (
  server: Server,
  serve: RequestListener,
  settings: ConnectionSettings,
  onClosed: (reason: ClosedFor) => void = () => {},
): SupervisedConnections => {
  const connections = new Map<Socket, Connection>()
  const addresses = new Map<string, number>()
  server.maxConnections = settings.maxConnections

  const close = ({ socket }: Connection, reason: ClosedFor): void => {
    onClosed(reason)
    socket.resetAndDestroy()
  }

  const hasRoom = (connection: Connection): boolean => {
    const { length } = connection.unanswered
    return length === 0 || (length < settings.maxUnanswered && unsentBytes(connection) < settings.maxUnsentBytes)
  }

  const start = (connection: Connection, request: IncomingMessage, response: ServerResponse): void => {
    const { unanswered } = connection
    unanswered.push(response)
    response.once('close', () => {
      unanswered.splice(unanswered.indexOf(response), 1)
      startWaiting(connection)
    })
    serve(request, response)
  }

  const startWaiting = (connection: Connection): void => {
    const { waiting, socket } = connection
    if (waiting.length === 0 || !hasRoom(connection)) return
    start(connection, ...waiting.shift()!)
    if (waiting.length === 0) socket.resume()
    else setImmediate(startWaiting, connection)
  }

  const countAddress = (address: string, step: 1 | -1): number => {
    const count = (addresses.get(address) ?? 0) + step
    if (count === 0) addresses.delete(address)
    else addresses.set(address, count)
    return count
  }

  server.on('connection', (socket: Socket) => {
    const address = clientOf(socket.remoteAddress ?? '')
    const connection: Connection = {
      socket,
      unanswered: [],
      waiting: [],
      sentBytes: 0,
      stalledChecks: 0,
    }
    connections.set(socket, connection)
    const count = countAddress(address, 1)
    socket.once('close', () => {
      countAddress(address, -1)
      connections.delete(socket)
      connection.waiting.length = 0
      for (const response of [...connection.unanswered]) closeQueued(response)
    })
    // Reading the body of a request that is worked on resumes the socket, too.
    socket.on('resume', () => {
      if (connection.waiting.length > 0) socket.pause()
    })
    if (count > settings.maxPerAddress) close(connection, 'address')
  })

  server.on('request', (request, response) => {
    const connection = connections.get(request.socket)
    if (!connection) return
    if (connection.unanswered.length + connection.waiting.length === 0) return start(connection, request, response)
    // Requests that were read together each start in their own turn of the event loop.
    if (connection.waiting.length === 0) setImmediate(startWaiting, connection)
    connection.waiting.push([request, response])
    // What has been read is parsed to its end, so that more than one request may come after this.
    connection.socket.pause()
    if (connection.waiting.length === settings.maxWaiting + 1) close(connection, 'pipelining')
  })

  const isStalled = (connection: Connection): boolean => {
    const { socket } = connection
    const sentBytes = socket.bytesWritten - socket.writableLength
    connection.stalledChecks = sentBytes === connection.sentBytes ? connection.stalledChecks + 1 : 0
    connection.sentBytes = sentBytes
    // By checks and not by the clock: while this process does not run, no peer is to blame.
    return connection.stalledChecks * settings.checkEveryMs >= settings.stalledAfterMs
  }

  const check = (): void => {
    const unsent: { connection: Connection; bytes: number }[] = []
    let inAll = 0
    for (const connection of connections.values()) {
      const bytes = connection.unanswered.length === 0 ? 0 : unsentBytes(connection)
      if (bytes === 0) {
        connection.stalledChecks = 0
      } else if (isStalled(connection)) {
        close(connection, 'stalled')
      } else {
        inAll += bytes
        unsent.push({ connection, bytes })
      }
    }
    if (inAll <= settings.maxUnsentBytesInAll) return
    unsent.sort((a, b) => b.bytes - a.bytes)
    for (const { connection, bytes } of unsent) {
      if (inAll <= settings.maxUnsentBytesInAll) return
      close(connection, 'unsent')
      inAll -= bytes
    }
  }
  server.once('listening', () => {
    const checking = setInterval(check, settings.checkEveryMs).unref()
    server.once('close', () => clearInterval(checking))
  })
  return {
    closeUnused: () => {
      for (const socket of connections.keys()) if (socket.bytesRead === 0) socket.destroy()
    },
  }
}
