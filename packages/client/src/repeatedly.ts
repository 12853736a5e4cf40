import { NetworkError, WorkloreError } from './errors.js'
import type { CallOptions } from './options.js'
import { isWorthRepeating, waitMsAfter } from './retry.js'
import { sleep } from './sleep.js'
import type { Transport } from './transport.js'

/** Someone who waits for something wants to hear of it soon after the service is back. */
const maxOutageWaitMs = 5_000
/** A long poll that ends sooner was ended by the service, as when it stops. */
const minPollMs = 1_000

/**
 * Reads until the answer is right or the time is over, and gives the last one. Unless `maxRetries` says otherwise,
 * failures are repeated for as long.
 */
export const repeatedly = async <T>(
  transport: Transport,
  path: string,
  read: (leftMs: number) => Promise<T>,
  isRight: (answer: T) => boolean,
  endMs: number,
  { signal, maxWaitMs = transport.maxWaitMs, maxRetries = Infinity }: CallOptions,
): Promise<T> => {
  for (let failures = 0; ; ) {
    const startedAtMs = Date.now()
    try {
      const answer = await read(endMs - startedAtMs)
      failures = 0
      const leftMs = endMs - Date.now()
      if (isRight(answer) || leftMs <= 0) return answer
      await sleep(Math.max(0, Math.min(leftMs, startedAtMs + minPollMs - Date.now())), signal)
    } catch (error) {
      signal?.throwIfAborted()
      const leftMs = endMs - Date.now()
      if (!(error instanceof WorkloreError) || !isWorthRepeating(error, 'GET')) throw error
      if (++failures > maxRetries || leftMs <= 0) throw error
      const fullWaitMs = waitMsAfter(error, failures, maxWaitMs)
      const waitMs = Math.min(
        leftMs,
        error instanceof NetworkError ? Math.min(fullWaitMs, maxOutageWaitMs) : fullWaitMs,
      )
      transport.onRetry(error, failures, waitMs, 'GET', path)
      await sleep(waitMs, signal)
    }
  }
}
