import { type ChangeEvent, GoneError } from 'worklore-client'
import type { Client } from '../api/client'
import { createObservable, type Observable } from './base/observable'
import { electLeader } from './leader'

const retryMs = 2_000

/** What the leading tab tells the others. */
type LiveMessage =
  /** An event, and the position before it: a tab that is behind that position has missed something. */
  | { kind: 'event'; event: ChangeEvent; previous: number }
  | { kind: 'alive'; position: number; state: LiveState }
  /** A tab asks the leader for its position. */
  | { kind: 'hello' }
  /** What the leader has read for all of them. */
  | { kind: 'read'; what: string; data: unknown }

type LiveState = 'connecting' | 'live' | 'reconnecting'

interface Shared {
  read(): void
  end(): void
}

export interface Live {
  state: Observable<LiveState>
  /** Everything up to this sequence has been applied in this tab. */
  position(): number
  start(): void
  /**
   * Reads for all tabs: the leader asks the service, and each of them takes the answer. The result asks for a read, and does
   * nothing in the other tabs. A read that fails is left to the next one.
   */
  share<T>(what: string, read: () => Promise<T>, take: (data: T) => void): Shared
  /** Call when the stream's connection was lost. */
  lost(): void
  stop(): void
}

/** The newest event's sequence: records that are read after it is known are at least as new. */
export const readPosition = async (client: Client, options: { signal?: AbortSignal } = {}): Promise<number> =>
  (await client.events.list({ after: 'latest', limit: 1 }, options)).pagination.nextAfter

/**
 * Follows the event log from a position on: the leading tab over the stream, the others through it. Each event is
 * applied once and in order; what a tab missed it reads from the log itself. `onGap` is called when the log no longer
 * has what was missed.
 */
export const createLive = (
  client: Client,
  keyId: string,
  from: number,
  onEvent: (event: ChangeEvent) => void,
  onGap: () => void,
): Live => {
  // Tabs that are still signed in with another key see other events.
  const name = `worklore.live.${keyId}`
  const state = createObservable<LiveState>('connecting')
  const channel = new BroadcastChannel(name)
  const ended = new AbortController()
  /** Who takes what the leader has read. */
  const takers = new Map<string, (data: unknown) => void>()
  let position = from
  let isLeading = false
  let catchingUp: Promise<void> | undefined
  /** The newest event known to exist. */
  let newest = 0

  const tell = (message: LiveMessage): void => {
    // The stream may outlive the channel for a moment.
    if (!ended.signal.aborted) channel.postMessage(message)
  }

  const apply = (event: ChangeEvent): void => {
    if (event.sequence <= position) return
    position = event.sequence
    onEvent(event)
  }

  const startOver = async (): Promise<void> => {
    position = await readPosition(client, { signal: ended.signal })
    onGap()
  }

  const readMissed = async (): Promise<void> => {
    for await (const page of client.events.list({ after: position, limit: 500 }, { signal: ended.signal }).pages()) {
      for (const event of page.data) apply(event)
      position = Math.max(position, page.pagination.nextAfter)
    }
  }

  const catchUp = (to: number): void => {
    newest = Math.max(newest, to)
    catchingUp ??= (async () => {
      try {
        while (position < newest) await readMissed()
      } catch (error) {
        if (error instanceof GoneError) await startOver()
        else newest = position
      } finally {
        catchingUp = undefined
      }
    })().catch(() => undefined)
  }

  const setState = (next: LiveState): void => {
    state.set(next)
    tell({ kind: 'alive', position, state: next })
  }

  const lead = async (signal: AbortSignal, aliveEveryMs: number): Promise<void> => {
    isLeading = true
    const timer = setInterval(() => tell({ kind: 'alive', position, state: state.get() }), aliveEveryMs)
    try {
      await catchingUp
      while (!signal.aborted) {
        try {
          const events = client.events.stream({ after: position }, { signal, onOpen: () => setState('live') })
          for await (const event of events) {
            const previous = position
            apply(event)
            tell({ kind: 'event', event, previous })
          }
        } catch (error) {
          if (signal.aborted) break
          setState('reconnecting')
          if (error instanceof GoneError) await startOver().catch(() => undefined)
          await new Promise((resolve) => setTimeout(resolve, retryMs))
        }
      }
    } finally {
      clearInterval(timer)
      isLeading = false
    }
  }

  const start = (): void => {
    const election = electLeader(name, lead)
    ended.signal.addEventListener('abort', () => election.stop())
    channel.onmessage = ({ data }: MessageEvent<LiveMessage>) => {
      if (data.kind === 'hello') {
        if (isLeading) tell({ kind: 'alive', position, state: state.get() })
        return
      }
      // A leader that was replaced while frozen may still send messages.
      if (isLeading) return
      if (data.kind === 'read') {
        takers.get(data.what)?.(data.data)
        return
      }
      election.heard()
      if (data.kind === 'alive') {
        state.set(data.state)
        if (data.position > position) catchUp(data.position)
      } else if (catchingUp || data.previous > position) catchUp(data.event.sequence)
      else apply(data.event)
    }
    tell({ kind: 'hello' })
  }

  return {
    state,
    position: () => position,
    start,
    share: <T>(what: string, read: () => Promise<T>, take: (data: T) => void) => {
      const taker = take as (data: unknown) => void
      takers.set(what, taker)
      return {
        read: () => {
          if (!isLeading) return
          read().then(
            (data) => {
              tell({ kind: 'read', what, data })
              take(data)
            },
            () => undefined,
          )
        },
        end: () => {
          if (takers.get(what) === taker) takers.delete(what)
        },
      }
    },
    lost: () => {
      if (isLeading) setState('reconnecting')
    },
    stop: () => {
      ended.abort()
      channel.close()
    },
  }
}
