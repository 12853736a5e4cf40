import { connect } from 'node:net'

const answerStart = 'HTTP/1.1 '
const refusal = 'HTTP/1.1 429'
/** Sooner than `Retry-After` says. */
const refusedPauseMs = 1_000

const countOf = (text: string, part: string): number => text.split(part).length - 1

/** Sends a request again and again over one connection, which stays open until the signal; a cut one is opened anew. */
export const sendEndlessly = (port: number, requests: readonly Buffer[], signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    let sent = 0
    const open = (): void => {
      if (signal.aborted) {
        resolve()
        return
      }
      const socket = connect(port, '127.0.0.1')
      const sendNext = (): void => void socket.write(requests[sent++ % requests.length]!)
      const stop = (): void => void socket.destroy()
      socket.on('connect', sendNext)
      socket.on('data', (bytes) => {
        const text = bytes.toString('latin1')
        const pauseMs = text.includes(refusal) ? refusedPauseMs : 0
        for (let left = countOf(text, answerStart); left > 0; left--) {
          if (pauseMs === 0) sendNext()
          else setTimeout(sendNext, pauseMs)
        }
      })
      socket.on('error', () => {})
      socket.on('close', () => {
        signal.removeEventListener('abort', stop)
        setTimeout(open, 10)
      })
      signal.addEventListener('abort', stop)
    }
    open()
  })

export const requestOf = (method: string, path: string, key: string, body?: unknown): Buffer => {
  const payload = body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body))
  const type = body === undefined ? '' : `Content-Type: application/json\r\nContent-Length: ${payload.length}\r\n`
  const head = `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n${type}\r\n`
  return Buffer.concat([Buffer.from(head), payload])
}
