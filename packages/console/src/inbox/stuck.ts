import type { TaskCardFilters, Webhook } from 'worklore-client'
import { claimsRead, followClaims } from '../agents/follow-claims'
import { type SilentClaim, silentClaimsOf } from '../agents/silent'
import { hasScope } from '../api/permissions'
import { createObservable, type Observable } from '../store/base/observable'
import { createThrottle } from '../store/base/throttle'
import { isExhausted, type TaskCard } from '../store/cards/task-card'
import type { Console } from '../store/console'

/** Cards that are read; the rest is counted. */
const maxCards = 1_000
/** Events keep what was read up to date, not how many others there are: those are counted again. */
const recountEveryMs = 60_000
/** After changes, where not all are known. */
const recountDelayMs = 3_000
/** Collects changes that come together. */
const delayMs = 200
/** Claims fall silent and run out without an event. */
const lookEveryMs = 5_000

export interface TaskGroup {
  /** The longest-waiting first. */
  cards: readonly TaskCard[]
  count: number
}

/** What is stuck, of all projects, and work in review, kept up to date by events. */
export interface Stuck {
  silent: Observable<readonly SilentClaim[]>
  /** Tasks whose attempts are used up. */
  exhausted: Observable<TaskGroup>
  inReview: Observable<TaskGroup>
  /** Webhooks that fail or were disabled. */
  webhooks: Observable<readonly Webhook[]>
  /** All of it was read, or could not be. */
  isLoaded: Observable<boolean>
  /** Follows the service; returns a function that ends it. */
  start(): () => void
}

const filters = {
  exhausted: { exhausted: true, status: 'todo' },
  inReview: { status: 'in_review' },
} satisfies Record<string, TaskCardFilters>

type GroupName = keyof typeof filters
const groupNames = Object.keys(filters) as GroupName[]

const isSame = (some: TaskGroup, other: TaskGroup): boolean =>
  some.count === other.count &&
  some.cards.length === other.cards.length &&
  some.cards.every((card, index) => card === other.cards[index])

const isSilentAlike = (some: readonly SilentClaim[], others: readonly SilentClaim[]): boolean =>
  some.length === others.length &&
  some.every(({ card, lastMs }, index) => card === others[index]!.card && lastMs === others[index]!.lastMs)

const longestWaiting = (a: TaskCard, b: TaskCard): number => (a.updatedAt < b.updatedAt ? -1 : 1)

export const createStuck = (console: Console): Stuck => {
  const { client, tasks, projects, activity, me, live, onEvent, onResync } = console
  const silent = createObservable<readonly SilentClaim[]>([])
  const exhausted = createObservable<TaskGroup>({ cards: [], count: 0 })
  const inReview = createObservable<TaskGroup>({ cards: [], count: 0 })
  const groups = { exhausted, inReview }
  const webhooks = createObservable<readonly Webhook[]>([])
  const isLoaded = createObservable(false)
  /** How many there were at the last count; null where all of them are known, and events tell of others. */
  const totals: Record<GroupName, number | null> = { exhausted: null, inReview: null }

  const look = (): void => {
    const nowMs = Date.now()
    const found = { exhausted: [] as TaskCard[], inReview: [] as TaskCard[] }
    for (const card of tasks.cards()) {
      if (card.statusCategory === 'in_review') found.inReview.push(card)
      else if (isExhausted(card, projects.get(card.projectId)?.maxAttempts ?? Infinity)) found.exhausted.push(card)
    }
    for (const name of groupNames) {
      const group = groups[name]
      const cards = found[name].sort(longestWaiting)
      const next = { cards, count: Math.max(cards.length, totals[name] ?? 0) }
      if (!isSame(group.get(), next)) group.set(next)
    }
    const claims = silentClaimsOf(tasks.cards(), activity.view.get(), nowMs)
    // What their keys did before this page was opened may be a sign of life.
    if (claims.some(({ card }) => !card.claim!.worker)) activity.load()
    if (!isSilentAlike(silent.get(), claims)) silent.set(claims)
  }

  const readTotal = async (name: GroupName, limit: number): Promise<{ total: number; cards: TaskCard[] }> => {
    const page = await client.tasks.cards({ ...filters[name], sort: 'updatedAt', limit, total: 'exact' })
    return { total: page.pagination.total ?? page.data.length, cards: page.data }
  }
  const setTotal = (name: GroupName, total: number): void => {
    totals[name] = total > maxCards ? total : null
    look()
  }
  const readGroup = async (name: GroupName): Promise<void> => {
    const { total, cards } = await readTotal(name, maxCards)
    tasks.add(cards)
    setTotal(name, total)
  }
  // What was last known stays where a read fails; it is counted again in a while.
  const readGroups = (): Promise<unknown> => Promise.allSettled(groupNames.map(readGroup))
  /** Cards are read again only where not all of them are known. */
  const takeTotal = (name: GroupName, total: number): void => {
    setTotal(name, total)
    if (total <= maxCards && total !== groups[name].get().cards.length) readGroup(name).catch(() => undefined)
  }
  const readWebhooks = async (): Promise<void> => {
    if (!hasScope(me.get(), 'admin')) return
    await client.webhooks.list({ limit: 100 }).then(
      ({ data }) =>
        webhooks.set(
          data.filter(({ disabledReason, failingSince }) => disabledReason !== null || failingSince !== null),
        ),
      () => undefined,
    )
  }

  return {
    silent,
    exhausted,
    inReview,
    webhooks,
    isLoaded,
    start: () => {
      const looks = createThrottle(look, { delayMs })
      const lookSoon = (): void => looks.ask()
      const counts = groupNames.map((name) =>
        live.share(
          `count of ${name}`,
          async () => (await readTotal(name, 1)).total,
          (total) => takeTotal(name, total),
        ),
      )
      const recountAll = (): void => {
        for (const each of counts) each.read()
      }
      const recounts = createThrottle(recountAll, { delayMs: recountDelayMs })
      const timers = [setInterval(recountAll, recountEveryMs), setInterval(lookSoon, lookEveryMs)]
      const stopClaims = followClaims(console)
      const readAll = async (): Promise<void> => {
        await Promise.all([readGroups(), readWebhooks(), claimsRead(console)])
        look()
        isLoaded.set(true)
      }
      const ends = [
        stopClaims,
        tasks.view.subscribe(lookSoon),
        activity.view.subscribe(lookSoon),
        projects.records.subscribe(lookSoon),
        onResync(() => void readAll()),
        onEvent(({ type }) => {
          if (type.startsWith('webhook.')) void readWebhooks()
          // A lower maxAttempts uses up those of tasks that are not known here.
          if (type === 'project.updated') void readGroups()
          if (type.startsWith('task.') && groupNames.some((name) => totals[name] !== null)) recounts.ask()
        }),
      ]
      void readAll()
      return () => {
        for (const each of timers) clearInterval(each)
        for (const each of [looks, recounts, ...counts]) each.end()
        for (const end of ends) end()
      }
    },
  }
}
