import { setTimeout as pause } from 'node:timers/promises'
import { RequestError } from '@octokit/request-error'

interface PacingOptions {
  /** Between two writes; GitHub asks for a second. */
  writeSpacingMs: number
  onWait(reason: string, waitMs: number): void
  now?: () => number
  sleep?: (ms: number) => Promise<unknown>
}

interface Sent {
  headers: Record<string, string | number | undefined>
}

const maxAttempts = 6
const firstBackoffMs = 500
/** GitHub: where a secondary limit names no time, wait at least one minute, longer each time. */
const secondaryLimitMs = 60_000
const clockSkewMs = 1_000

const headersOf = (error: RequestError): Sent['headers'] => error.response?.headers ?? {}

const isLimit = (error: RequestError): boolean => {
  if (error.status === 429) return true
  const headers = headersOf(error)
  return (
    error.status === 403 &&
    (headers['retry-after'] !== undefined ||
      headers['x-ratelimit-remaining'] === '0' ||
      /rate limit/i.test(error.message))
  )
}

/** Keeps to GitHub's limits: one request at a time, spaced writes, and waits that the answers ask for. */
export const createPacing = ({ writeSpacingMs, onWait, now = Date.now, sleep = pause }: PacingOptions) => {
  let lastWriteAtMs = Number.NEGATIVE_INFINITY
  /** No request before this time: the hourly limit is used up. */
  let closedUntilMs = 0
  let last: Promise<unknown> = Promise.resolve()

  const waitFor = async (reason: string, waitMs: number): Promise<void> => {
    if (waitMs <= 0) return
    onWait(reason, waitMs)
    await sleep(waitMs)
  }

  const note = ({ headers }: Sent): void => {
    if (headers['x-ratelimit-remaining'] !== '0') return
    closedUntilMs = Number(headers['x-ratelimit-reset'] ?? 0) * 1_000 + clockSkewMs
  }

  const waitAfter = (error: RequestError, attempts: number, isRepeatable: boolean): number | undefined => {
    if (isLimit(error)) {
      const headers = headersOf(error)
      if (headers['retry-after'] !== undefined) return Number(headers['retry-after']) * 1_000
      if (headers['x-ratelimit-remaining'] === '0') return Math.max(0, closedUntilMs - now())
      return secondaryLimitMs * 2 ** (attempts - 1)
    }
    // Without an answer, or with one of these, nobody knows what became of the request.
    if (isRepeatable && (error.response === undefined || error.status >= 500))
      return firstBackoffMs * 2 ** (attempts - 1)
    return undefined
  }

  const attempt = async <T extends Sent>(
    isWrite: boolean,
    isRepeatable: boolean,
    prepare: (() => Promise<void>) | undefined,
    send: () => Promise<T>,
  ): Promise<T> => {
    for (let attempts = 1; ; attempts++) {
      await waitFor('rate limit of GitHub', closedUntilMs - now())
      if (isWrite) {
        const waitMs = lastWriteAtMs + writeSpacingMs - now()
        if (waitMs > 0) await sleep(waitMs)
      }
      await prepare?.()
      try {
        const answer = await send().finally(() => {
          if (isWrite) lastWriteAtMs = now()
        })
        note(answer)
        return answer
      } catch (error) {
        if (!(error instanceof RequestError)) throw error
        note({ headers: headersOf(error) })
        const waitMs = attempts < maxAttempts ? waitAfter(error, attempts, isRepeatable) : undefined
        if (waitMs === undefined) throw error
        await waitFor(error.message, waitMs)
      }
    }
  }

  return {
    /**
     * Sends when it is this request's turn. `prepare` runs right before each attempt. A request that is not repeatable
     * is sent again only where GitHub refused it.
     */
    run: <T extends Sent>(
      { method, prepare }: { method: string; prepare: (() => Promise<void>) | undefined },
      send: () => Promise<T>,
    ): Promise<T> => {
      const result = last.then(() => attempt(method !== 'GET', method !== 'POST', prepare, send))
      last = result.catch(() => {})
      return result
    },
  }
}
