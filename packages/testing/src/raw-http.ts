import { connect, type Socket } from 'node:net'

export interface RawAnswer {
  status: number
  headers: Record<string, string>
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any
  /** From the connection's begin to the end of the answer. */
  durationMs: number
}

const parse = (text: string, durationMs: number): RawAnswer => {
  const end = text.indexOf('\r\n\r\n')
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n')
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const at = line.indexOf(':')
    headers[line.slice(0, at).toLowerCase()] = line.slice(at + 1).trim()
  }
  const rest = text.slice(end + 4)
  const body = rest.startsWith('{') ? JSON.parse(rest.slice(0, rest.lastIndexOf('}') + 1)) : undefined
  return { status: Number(statusLine.split(' ')[1]), headers, text: rest, body, durationMs }
}

const isWhole = (text: string): boolean => {
  const end = text.indexOf('\r\n\r\n')
  const length = /content-length: (\d+)/i.exec(text)?.[1]
  return end > 0 && length !== undefined && Buffer.byteLength(text) >= end + 4 + Number(length)
}

/**
 * Sends bytes that no HTTP client would send. Answers the first answer, or undefined where the connection was closed
 * without one.
 */
export const sendRaw = (
  baseUrl: string,
  bytes: string | Buffer,
  { withinMs = 120_000, onConnect = (_socket: Socket) => {} } = {},
): Promise<RawAnswer | undefined> =>
  new Promise((resolve, reject) => {
    const startedAt = performance.now()
    let text = ''
    const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1')
    const timer = setTimeout(() => {
      socket.destroy()
      reject(new Error(`no answer within ${withinMs} ms to ${JSON.stringify(bytes.toString('latin1').slice(0, 200))}`))
    }, withinMs)
    const finish = (): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(text === '' ? undefined : parse(text, performance.now() - startedAt))
    }
    socket.setEncoding('utf8')
    socket.on('connect', () => {
      socket.write(bytes)
      onConnect(socket)
    })
    socket.on('data', (chunk) => {
      text += chunk
      if (isWhole(text)) finish()
    })
    // A reset after the answer has arrived is the server's way to refuse the rest of a body.
    socket.on('error', finish)
    socket.on('close', finish)
  })
