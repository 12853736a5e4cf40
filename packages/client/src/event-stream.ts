import { createDeadline } from './deadline.js'
import { errorInStream, errorOf } from './error-of.js'
import { NetworkError, WorkloreError } from './errors.js'
import type { ChangeEvent } from './event.js'
import type { CallOptions } from './options.js'
import { isWorthRepeating, waitMsAfter } from './retry.js'
import { readServerSentEvents } from './server-sent-events.js'
import { sleep } from './sleep.js'
import type { Transport } from './transport.js'

const path = '/v1/events/stream'
/** The service gives a sign of life every 15 s; a connection without one for so long is dead. */
const silenceMs = 40_000
/** A connection that held so long was a good one, and the waits begin anew. */
const steadyMs = 5_000
/** Someone who follows what happens wants to hear of it soon after the service is back. */
const longestWaitMs = 5_000

export interface StreamOptions extends CallOptions {
  /** Told each time a connection is established, the first one included. */
  onOpen?: (() => void) | undefined
}

const connect = async (
  transport: Transport,
  query: object,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> => {
  const answer = await transport.open(path, query, { accept: 'text/event-stream' }, signal)
  if (answer.status !== 200) throw errorOf(answer, await answer.text())
  return answer.chunks()
}

/**
 * Every event after a position, once and in order, for as long as the caller reads. Lost connections are taken up
 * again where they stopped; unless `maxRetries` says otherwise, without end.
 */
export async function* streamEvents(
  transport: Transport,
  query: object,
  start: number,
  {
    signal,
    timeoutMs = transport.timeoutMs,
    maxWaitMs = transport.maxWaitMs,
    maxRetries = Infinity,
    onOpen,
  }: StreamOptions,
): AsyncGenerator<ChangeEvent, void, undefined> {
  let after = start
  for (let failures = 1; ; failures++) {
    const deadline = createDeadline(signal)
    const openedAtMs = Date.now()
    const onSign = (): void => {
      deadline.extend(silenceMs)
      if (Date.now() - openedAtMs > steadyMs) failures = 1
    }
    // Past events that were not asked for.
    const onPosition = (id: string): void => {
      after = Math.max(after, Number(id))
    }
    let failure: WorkloreError = new NetworkError('The stream ended.')
    try {
      deadline.extend(timeoutMs)
      const chunks = await connect(transport, { ...query, after }, deadline.signal)
      onOpen?.()
      for await (const message of readServerSentEvents(chunks, onSign, onPosition)) {
        if (message.event === 'end') throw errorInStream(message.data)
        if (message.event !== 'message') {
          onPosition(message.id)
          continue
        }
        const event = JSON.parse(message.data) as ChangeEvent
        if (event.sequence <= after) continue
        after = event.sequence
        failures = 1
        // However long the caller takes over an event, the connection is not to blame.
        deadline.hold()
        yield event
        deadline.extend(silenceMs)
      }
    } catch (cause) {
      const error = cause instanceof WorkloreError ? cause : deadline.failureOf(cause)
      if (!(error instanceof WorkloreError) || !isWorthRepeating(error, 'GET')) throw error
      failure = error
    } finally {
      deadline.clear()
    }
    signal?.throwIfAborted()
    if (failures > maxRetries) throw failure
    const fullWaitMs = waitMsAfter(failure, failures, maxWaitMs)
    const waitMs = failure instanceof NetworkError ? Math.min(fullWaitMs, longestWaitMs) : fullWaitMs
    transport.onRetry(failure, failures, waitMs, 'GET', path)
    await sleep(waitMs, signal)
  }
}
