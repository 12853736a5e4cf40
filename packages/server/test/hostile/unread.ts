import { connect, type Socket } from 'node:net'

/** A connection that sends bytes and reads nothing of what comes back. */
export const sendUnread = (port: number, bytes: string): Promise<Socket> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.pause()
      socket.write(bytes)
      resolve(socket)
    })
    // The service may well cut it off.
    socket.on('error', () => resolve(socket))
  })

export const getRequest = (path: string, key?: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\n${key === undefined ? '' : `Authorization: Bearer ${key}\r\n`}\r\n`
