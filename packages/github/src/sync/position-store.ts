import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import {
  type CallOptions,
  type KnowledgeItem,
  NotFoundError,
  PreconditionFailedError,
  type Worklore,
} from 'worklore-client'
import { CommandError, exitConflict } from '#command-line'
import { bounded, emptyPosition, type Position, withWriter } from './position.js'
import { findPosition, positionKey, refuseSecondProject } from './position-item.js'

/** The run that may write. One that was killed releases nothing: its lease expires. */
interface Lease {
  holder: string
  until: string
}

/** Another run holds the lease. */
export class LeaseHeldError extends CommandError {
  constructor(repo: string, lease: Lease | undefined) {
    const until = lease ? `; its lease ends at ${lease.until} unless it is renewed` : ' meanwhile'
    super(`Another run of wl github for ${repo} is at work${until}.`, exitConflict)
  }
}

/** Another run wrote the position since it was loaded, before this run wrote anything. */
export class PositionChangedError extends LeaseHeldError {}

/** Told that another run holds the lease; resolves when to try again. */
export type OnHeld = (message: string, waitMs: number) => Promise<unknown>

const maxEventsUnnoted = 500
const maxAttempts = 5
const maxReleaseMs = 5_000
/** How long one of several first runs at once waits for the others to withdraw. */
const maxLooks = 10
const lookAgainMs = 200

/** A time in the past: an expired item is not found by searches. */
const validUntil = '2000-01-01T00:00:00.000Z'

type Stored = Partial<Position> & { lease?: Lease }

/** Without what a person made unreadable. */
const parsed = (content: string): Stored => {
  try {
    const stored = Object.entries((JSON.parse(content) ?? {}) as Record<string, unknown>)
    const empty: Record<string, unknown> = { ...emptyPosition() }
    const isLike = (one: unknown, other: unknown): boolean =>
      typeof one === typeof other && Array.isArray(one) === Array.isArray(other) && one !== null
    return Object.fromEntries(stored.filter(([name, value]) => !(name in empty) || isLike(value, empty[name])))
  } catch {
    return {}
  }
}

interface PositionStoreOptions {
  wl: Worklore
  projectId: string
  repo: string
  /** The name whose position counts until there is one of the present name. */
  formerName: string | undefined
  leaseMs: number
  /** What this run writes with: the account on GitHub and the id of the key. */
  login: string
  keyId: string
}

/**
 * Keeps the position in the service, with the lease of the run that may write. The lease is taken by the first write: a
 * run with nothing to do leaves no trace.
 */
export const createPositionStore = (options: PositionStoreOptions) => {
  const { wl, projectId, repo, formerName, leaseMs, login, keyId } = options
  const key = positionKey(repo)
  const holder = randomUUID()
  let version: number | undefined
  let saved = emptyPosition()
  /** Nothing is written unless the position was loaded and, since then, nobody else has written it. */
  let state: 'none' | 'loaded' | 'held' = 'none'
  /** When our lease ends. */
  let untilMs = 0
  let timer: NodeJS.Timeout | undefined
  let last: Promise<unknown> = Promise.resolve()

  /** One write after the other: each needs the version that the one before it made. */
  const inTurn = <T>(step: () => Promise<T>): Promise<T> => {
    const result = last.then(step)
    last = result.catch(() => {})
    return result
  }

  const itemOf = async (name: string): Promise<KnowledgeItem | undefined> => {
    const { item, others } = await findPosition(wl, projectId, name)
    return others.length > 0 ? refuseSecondProject(wl, name, others) : item
  }

  /**
   * Looks for other projects after the item was created: of two first runs at once, at least one sees the other. A run
   * that does withdraws, but one waits for the others to do so.
   */
  const expectAlone = async (): Promise<void> => {
    for (let looks = 1; ; looks++) {
      const { others } = await findPosition(wl, projectId, repo)
      if (others.length === 0) return
      if (looks < maxLooks && others.every((id) => projectId < id)) await pause(lookAgainMs)
      else {
        await wl.knowledge.delete(key, { projectId, ifMatch: version })
        version = undefined
        state = 'none'
        await refuseSecondProject(wl, repo, others)
      }
    }
  }

  const read = async (): Promise<Lease | undefined> => {
    const item = await itemOf(repo)
    const former = item || formerName === undefined ? undefined : await itemOf(formerName)
    const { lease, ...position } = parsed((item ?? former)?.content ?? '')
    version = item?.version
    saved = { ...emptyPosition(), ...position, ...(lease && { isInterrupted: true as const }) }
    saved.writers = withWriter(saved.writers, login, keyId)
    return lease
  }

  const write = async (position: Position, isHeld: boolean, options: CallOptions = {}): Promise<void> => {
    const nextMs = isHeld ? Date.now() + leaseMs : 0
    const next = structuredClone(bounded(position))
    const lease: Lease = { holder, until: new Date(nextMs).toISOString() }
    const content = JSON.stringify({ ...next, ...(isHeld && { lease }) })
    const fields = { content, projectId, title: `Position of wl-github in ${repo}`, validUntil }
    const condition = version === undefined ? { ifNoneMatch: '*' as const } : { ifMatch: version }
    const item = await wl.knowledge.put(key, fields, { ...condition, ...options })
    const isCreated = version === undefined
    version = item.version
    if (isCreated) await expectAlone()
    saved = next
    untilMs = nextMs
    state = isHeld ? 'held' : 'loaded'
  }

  const isChangedMeanwhile = (error: unknown): boolean =>
    error instanceof PreconditionFailedError || error instanceof NotFoundError

  /** Writes as the holder of the lease, also after a person has changed or deleted the item. */
  const writeAsHolder = async (position: Position, isHeld: boolean, options?: CallOptions): Promise<void> => {
    for (let attempts = 1; ; attempts++) {
      try {
        return await write(position, isHeld, options)
      } catch (error) {
        if (!isChangedMeanwhile(error) || attempts === maxAttempts) throw error
        const lease = await read()
        if (version === undefined || lease?.holder === holder) continue
        state = 'none'
        throw new LeaseHeldError(repo, lease)
      }
    }
  }

  const writeAsLoaded = async (position: Position, isHeld: boolean): Promise<void> => {
    if (state === 'none') throw new LeaseHeldError(repo, undefined)
    try {
      await write(position, isHeld)
    } catch (error) {
      if (!isChangedMeanwhile(error)) throw error
      state = 'none'
      throw new PositionChangedError(repo, undefined)
    }
  }

  const renew = (): void => {
    const step = async (): Promise<void> => {
      // Lost or renewed by the step before it.
      if (state !== 'held' || untilMs - Date.now() > leaseMs / 2) return
      await writeAsHolder(saved, true, { signal: AbortSignal.timeout(leaseMs / 4) })
    }
    // Without success the next attempt, or the next write, finds out.
    inTurn(step).catch(() => {})
  }

  /** Noting a position is an event itself: the number of the last event alone is noted now and then. */
  const isWorthNoting = (position: Position): boolean => {
    const { events = 0, ...rest } = position
    const { events: savedEvents = 0, ...savedRest } = saved
    return events - savedEvents > maxEventsUnnoted || JSON.stringify(rest) !== JSON.stringify(savedRest)
  }

  return {
    isLoaded: (): boolean => state !== 'none',
    isHeld: (): boolean => state === 'held',
    /** Gives the position, whoever has the lease. */
    read: async (): Promise<Position> => {
      await read()
      return structuredClone(saved)
    },
    /** Gives the position to begin from. Without `onHeld` it throws where another run has the lease. */
    load: async (onHeld: OnHeld | undefined): Promise<Position> => {
      for (;;) {
        const lease = await read()
        const waitMs = lease && lease.holder !== holder ? Date.parse(lease.until) - Date.now() : 0
        if (waitMs > 0) {
          const held = new LeaseHeldError(repo, lease)
          if (!onHeld) throw held
          await onHeld(held.message, waitMs)
          continue
        }
        state = 'loaded'
        return structuredClone(saved)
      }
    },
    /** Before each write to either side. Takes the lease, or checks it: a process that was suspended may have lost it. */
    hold: async (): Promise<void> => {
      if (state === 'held' && untilMs - Date.now() > leaseMs / 4) return
      await inTurn(() => (state === 'held' ? writeAsHolder(saved, true) : writeAsLoaded(saved, true)))
      timer ??= setInterval(renew, leaseMs / 4).unref()
    },
    save: (position: Position, isChanged: boolean): Promise<void> =>
      inTurn(async () => {
        if (!isChanged && !isWorthNoting(position)) return
        await (state === 'held' ? writeAsHolder(position, true) : writeAsLoaded(position, false))
      }),
    /**
     * Ends the lease. Without a position the one that was saved last stays, and nothing is written any more. Where it
     * fails, the lease expires.
     */
    release: async (position?: Position): Promise<void> => {
      clearInterval(timer)
      timer = undefined
      await inTurn(async () => {
        const signal = AbortSignal.timeout(maxReleaseMs)
        try {
          if (state === 'held') await writeAsHolder(position ?? { ...saved, isInterrupted: true }, false, { signal })
        } catch {
          state = 'none'
        }
        if (!position) state = 'none'
      })
    },
  }
}
