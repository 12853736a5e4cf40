import { createFairQueue } from './fair-queue.js'

/** How long work may run in one turn of the event loop. Further work waits for a later turn. */
const sliceMs = 10
/** A tenant rests only if another tenant asked for a turn within this time. */
const othersSeenForMs = 1_000
const restCheckMs = 1
/** How many resting tenants are remembered; limits only memory. */
const maxResting = 1_000

/** The group of work that every tenant waits for: the transactions on the only writer of the embedded store. */
export const writerGroup = '*writer'
/** The group of the service's own work, which never counts as another tenant. */
export const serviceGroup = ''

interface SchedulerFigures {
  /** Turns of the event loop that began with waiting work or with work that used the scheduler. */
  slices: number
  /** Continuations that had to wait for a later slice. */
  waits: number
}

/**
 * Decides when each tenant's work continues. The database ports, the search engine and the HTTP server ask for a turn
 * before each continuation, so that every operation can be paused at each statement without code of its own.
 */
export interface Scheduler {
  /**
   * Returns undefined if the group's work may continue at once. If the slice is used up or the group rests, returns a
   * promise that resolves when the group's turn comes. The number of waiting turns is bounded by the requests, streams
   * and jobs that the service has accepted.
   */
  turn(group: string): Promise<void> | undefined
  /**
   * Settles like `work`, but in the group's turn. If several promises settle together, such as those for the responses
   * in one packet or the transactions of one commit, they continue one at a time.
   */
  resume<T>(group: string, work: Promise<T>): Promise<T>
  figures(): SchedulerFigures
}

interface Waiting {
  group: string
  resolve: () => void
}

const settled = Promise.resolve()

/**
 * Serves groups in turn. A slice begins in the check phase of the event loop with the waiting work; new work may use
 * the time that is left. A turn's continuation runs in microtasks, so the next turn is given after they have ended. A
 * tenant whose continuation took a slice or longer rests for the same time while other tenants are active. A request
 * takes several turns of the event loop, and each of them would otherwise wait for such a continuation.
 */
export const createScheduler = (nowMs: () => number = () => performance.now()): Scheduler => {
  const waiting = createFairQueue<Waiting>()
  const writers: Waiting[] = []
  const restsUntilMs = new Map<string, number>()
  const figures: SchedulerFigures = { slices: 0, waits: 0 }
  let isOpen = false
  let endsAtMs = 0
  /** The group whose work is running; `sinceMs` is when it started. */
  let running: string | undefined
  let sinceMs = 0
  let lastSeen: string | undefined
  let othersSeenAtMs = Number.NEGATIVE_INFINITY
  let wasWriter = false
  let isCheckingRests = false
  let isResuming = false

  const noteSeen = (group: string, now: number): void => {
    if (group === lastSeen || group === writerGroup || group === serviceGroup) return
    if (lastSeen !== undefined) othersSeenAtMs = now
    lastSeen = group
  }

  /** Ends the running piece of work. A tenant rests after a long piece. */
  const charge = (now: number): void => {
    const tookMs = now - sinceMs
    sinceMs = now
    if (tookMs < sliceMs || running === undefined || running === writerGroup) return
    if (now - othersSeenAtMs >= othersSeenForMs) return
    if (restsUntilMs.size >= maxResting) restsUntilMs.clear()
    restsUntilMs.set(running, now + tookMs)
  }

  const isResting = (group: string, now: number): boolean => {
    const untilMs = restsUntilMs.size === 0 ? undefined : restsUntilMs.get(group)
    if (untilMs === undefined) return false
    if (now < untilMs) return true
    restsUntilMs.delete(group)
    return false
  }

  /** The writer gets every second turn, however many tenants wait. */
  const takeNext = (now: number): Waiting | undefined => {
    const writer = wasWriter ? undefined : writers.shift()
    wasWriter = writer !== undefined
    return writer ?? waiting.take(({ group }) => !isResting(group, now)) ?? writers.shift()
  }

  const open = (now: number): void => {
    isOpen = true
    figures.slices++
    sinceMs = now
    endsAtMs = now + sliceMs
    setImmediate(beginSlice)
  }

  /** Node runs a `nextTick` callback that a microtask queued once no microtask is left. */
  const afterMicrotasks = (act: () => void): void => void settled.then(() => process.nextTick(act))

  const giveTurns = (): void => {
    const now = nowMs()
    charge(now)
    const next = now < endsAtMs ? takeNext(now) : undefined
    running = next?.group
    if (!next) return
    next.resolve()
    afterMicrotasks(giveTurns)
  }

  const checkRestsLater = (): void => {
    if (isCheckingRests) return
    isCheckingRests = true
    setTimeout(() => {
      isCheckingRests = false
      if (!isOpen) beginSlice()
    }, restCheckMs)
  }

  const beginSlice = (): void => {
    const now = nowMs()
    charge(now)
    running = undefined
    isOpen = false
    if (waiting.size + writers.length === 0) return
    const areAllResting = writers.length === 0 && !waiting.some(({ group }) => !isResting(group, now))
    if (areAllResting) {
      checkRestsLater()
      return
    }
    open(now)
    giveTurns()
  }

  const wait = (group: string): Promise<void> => {
    figures.waits++
    return new Promise((resolve) => {
      if (group === writerGroup) writers.push({ group, resolve })
      else waiting.push(group, { group, resolve })
    })
  }

  const ask = (group: string, mayGoOn: boolean): Promise<void> | undefined => {
    const now = nowMs()
    if (isOpen) charge(now)
    else open(now)
    noteSeen(group, now)
    const isBehindOthers = group === writerGroup && writers.length > 0
    if (!mayGoOn || now >= endsAtMs || isBehindOthers || isResting(group, now)) return wait(group)
    running = group
    return undefined
  }

  const turnOfOne = (group: string): Promise<void> | undefined => {
    if (isResuming) return ask(group, false)
    isResuming = true
    afterMicrotasks(() => {
      isResuming = false
    })
    return ask(group, true)
  }

  return {
    turn: (group) => ask(group, true),
    resume: async (group, work) => {
      try {
        return await work
      } finally {
        await turnOfOne(group)
      }
    },
    figures: () => ({ ...figures }),
  }
}

/** Never delays work. For threads and commands that serve no tenants. */
export const unscheduled: Scheduler = {
  turn: () => undefined,
  resume: (_group, work) => work,
  figures: () => ({ slices: 0, waits: 0 }),
}
