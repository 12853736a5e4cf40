import { connect, type Socket } from 'node:net'
import { claimedTaskMark, counterMark, type LoadOrder, type LoadReport, stepMark, tokenMark } from './load-protocol.js'

const headEnd = '\r\n\r\n'
const lengthHeader = /\r\ncontent-length: (\d+)/i
const claimToken = /"token":"([^"]+)\.(\d+)"/
let counter = 0

interface Prepared {
  before: string
  /** Undefined where the request has no counter. */
  after: string | undefined
  needsClaim: boolean
}

interface HeldClaim {
  token: string
  taskId: string
}

const prepare = (request: string): Prepared => {
  const [before = '', after] = request.split(counterMark, 2)
  return { before, after, needsClaim: request.includes(tokenMark) || request.includes(claimedTaskMark) }
}

const stepsOf = (exchange: string | undefined): Prepared[] => exchange?.split(stepMark).map(prepare) ?? []

const textOf = ({ before, after, needsClaim }: Prepared, held: HeldClaim | undefined): string => {
  const text = after === undefined ? before : before + String(++counter).padStart(counterMark.length, '0') + after
  if (!needsClaim) return text
  if (!held) throw new Error('no claim was answered before a request that needs one')
  return text.replace(tokenMark, held.token).replace(claimedTaskMark, held.taskId)
}

const claimIn = (answer: string): HeldClaim | undefined => {
  const [, taskId, number] = claimToken.exec(answer) ?? []
  return taskId === undefined ? undefined : { taskId, token: `${taskId}.${number}` }
}

const percentile = (sorted: Float64Array, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

/**
 * Keeps every connection busy with one request at a time, and parses no more of an answer than its length, and its
 * claim where a later request needs it. The opening and the first exchange on each connection are not counted: Node
 * accepts one connection a turn and serves those it has meanwhile.
 */
const drive = (order: LoadOrder, onBegin: () => void): Promise<LoadReport> =>
  new Promise((resolve, reject) => {
    const opening = stepsOf(order.opening)
    const prepared = order.requests.map(stepsOf)
    const needsClaims = prepared.some((steps) => steps.some(({ needsClaim }) => needsClaim))
    const latencies: number[] = []
    const answered: (() => void)[] = []
    let startedAt = 0
    let endsAt = Infinity
    let next = order.durationMs === undefined ? 0 : Math.floor(Math.random() * prepared.length)
    let left = order.durationMs === undefined ? prepared.length : Infinity
    let open = order.connections
    let failures = 0
    let firstFailure: string | undefined

    const finish = (): void => {
      const sorted = Float64Array.from(latencies).sort()
      resolve({
        requests: latencies.length,
        seconds: (performance.now() - startedAt) / 1_000,
        failures,
        firstFailure,
        p50Ms: percentile(sorted, 0.5),
        p99Ms: percentile(sorted, 0.99),
      })
    }

    const beginWhenAllAnswered = (): void => {
      if (answered.length < open) return
      onBegin()
      startedAt = performance.now()
      if (order.durationMs !== undefined) endsAt = startedAt + order.durationMs
      for (const send of answered) send()
    }

    const run = (socket: Socket): void => {
      let sentAt = 0
      let isFirst = true
      let steps: Prepared[] = []
      let held: HeldClaim | undefined
      let received = ''
      let expected = 0

      const send = (): void => {
        if (left <= 0 || performance.now() >= endsAt) {
          socket.destroy()
          if (--open === 0) finish()
          else if (isFirst) beginWhenAllAnswered()
          return
        }
        left--
        steps = isFirst ? [...opening, ...prepared[next]!] : [...prepared[next]!]
        next = (next + 1) % prepared.length
        sentAt = performance.now()
        sendStep()
      }

      const sendStep = (): void => {
        received = ''
        expected = 0
        socket.write(textOf(steps.shift()!, held), 'latin1')
      }

      socket.setNoDelay(true)
      socket.setEncoding('latin1')
      socket.on('connect', send)
      socket.on('error', reject)
      socket.on('data', (chunk) => {
        received = received === '' ? String(chunk) : received + chunk
        if (expected === 0) {
          const end = received.indexOf(headEnd)
          if (end < 0) return
          expected = end + headEnd.length + Number(lengthHeader.exec(received)?.[1] ?? 0)
        }
        if (received.length < expected) return
        if (received.charCodeAt('HTTP/1.1 '.length) !== 0x32) {
          failures++
          firstFailure ??= received.slice(0, 1_000)
        }
        if (needsClaims) held = claimIn(received) ?? held
        if (steps.length > 0) return sendStep()
        if (!isFirst) {
          latencies.push(performance.now() - sentAt)
          return send()
        }
        isFirst = false
        answered.push(send)
        beginWhenAllAnswered()
      })
    }

    for (let count = 0; count < order.connections; count++) run(connect(order.port, '127.0.0.1'))
  })

process.on('message', (order: LoadOrder) => {
  drive(order, () => process.send!({ begun: true })).then(
    (report) => process.send!({ report }),
    (error) => process.send!({ error: String(error) }),
  )
})
