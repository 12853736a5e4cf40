import { type ChangeEvent, type InboxEntry, isChangeOf, type Question, type Task } from 'worklore-client'
import { hasScope } from '../api/permissions'
import { createObservable, type Observable } from '../store/base/observable'
import { createThrottle, type Throttle } from '../store/base/throttle'
import type { Console } from '../store/console'
import { isForMe } from '../tasks/questions/rights'
import { createStuck, type Stuck, type TaskGroup } from './stuck'

const perPage = 100
/** More are not listed. */
export const maxQuestions = 2_000
const maxReviews = 1_000
/** An inbox has no more entries. */
const maxEntries = 1_000
/** Collects changes that come together. */
const delayMs = 300
/** Minimum time between two reads. */
const minGapMs = 2_000
/** A page that comes back into view after so long reads again: other devices may have read entries. */
const staleAfterMs = 10_000

/** What waits for who is signed in, kept up to date by events. */
export interface Inbox {
  /** Open questions to this user or to any person, the newest first. */
  questions: Observable<readonly Question[]>
  /** Tasks in review with an open check that this session may decide. */
  reviews: Observable<readonly string[]>
  /** How many more of these there are. */
  unlistedReviews: Observable<number>
  /** Unread entries, the newest first. */
  entries: Observable<readonly InboxEntry[]>
  isLoaded: Observable<boolean>
  /** Why some of it could not be read; null where all of it was. */
  failure: Observable<unknown>
  reload(): void
  put(question: Question): void
  markRead(ids: readonly string[]): Promise<void>
  stuck: Stuck
  /** Follows the service; returns a function that ends it. */
  start(): () => void
}

/** A group without the tasks that are listed for another reason. */
const groupWithout = ({ cards, count }: TaskGroup, listed: ReadonlySet<string>): TaskGroup => {
  const left = cards.filter(({ id }) => !listed.has(id))
  return { cards: left, count: count - (cards.length - left.length) }
}

/** What is stuck, or in review, and not listed as something that is meant for this user. */
export const othersIn = ({ reviews, entries, stuck }: Inbox): Record<'exhausted' | 'inReview', TaskGroup> => {
  const listed = new Set([...reviews.get(), ...entries.get().flatMap(({ taskId }) => taskId ?? [])])
  return {
    exhausted: groupWithout(stuck.exhausted.get(), listed),
    inReview: groupWithout(stuck.inReview.get(), listed),
  }
}

/** Reads what was asked for, not too often. What was last known stays if that fails; the next event tries again. */
const createReader = (read: () => Promise<void>): Throttle =>
  createThrottle(() => void read().catch(() => undefined), { delayMs, minGapMs })

const isDecided = ({ state }: Task['checks'][number]): boolean => state !== 'open'
const newestFirst = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? 1 : -1)

/** Ids that lists which were read before must not bring back; the oldest are dropped. */
const createGone = (max: number) => {
  const ids = new Set<string>()
  return {
    has: (id: string): boolean => ids.has(id),
    delete: (id: string): void => void ids.delete(id),
    add: (id: string): void => {
      ids.add(id)
      if (ids.size > max) ids.delete(ids.values().next().value!)
    },
  }
}

const createInbox = (console: Console): Inbox => {
  const { client, me, tasks, live, onEvent, onResync, waiting } = console
  const questions = createObservable<readonly Question[]>([])
  const reviews = createObservable<readonly string[]>([])
  const unlistedReviews = createObservable(0)
  const entries = createObservable<readonly InboxEntry[]>([])
  const isLoaded = createObservable(false)
  const failure = createObservable<unknown>(null)
  const seesTasks = hasScope(me.get(), 'tasks:read')
  const { user } = me.get()

  const stuck = createStuck(console)

  /** The page, the badge and the title show this number, once all of it is known. */
  const count = (): void => {
    if (!isLoaded.get() || !stuck.isLoaded.get()) return
    const { exhausted, inReview } = othersIn(inbox)
    const mine = questions.get().length + reviews.get().length + unlistedReviews.get() + entries.get().length
    const broken = stuck.webhooks.get().length + me.get().warnings.length
    waiting.set(mine + stuck.silent.get().length + exhausted.count + inReview.count + broken)
  }
  const { silent, exhausted, inReview, webhooks } = stuck
  for (const list of [questions, reviews, unlistedReviews, entries, silent, exhausted, inReview, webhooks, me]) {
    list.subscribe(count)
  }
  for (const each of [isLoaded, stuck.isLoaded]) each.subscribe(count)

  const closed = createGone(maxQuestions)
  const put = (question: Question): void => {
    if (question.state === 'open') closed.delete(question.id)
    else closed.add(question.id)
    const others = questions.get().filter(({ id }) => id !== question.id)
    const isShown = question.state === 'open' && isForMe(me.get(), question)
    questions.set(isShown ? [...others, question].sort(newestFirst) : others)
  }

  const readQuestions = async (): Promise<void> => {
    const open: Question[] = []
    for await (const question of client.questions.list({ state: 'open', limit: perPage })) {
      if (isForMe(me.get(), question)) open.push(question)
      if (open.length === maxQuestions) break
    }
    questions.set(open.filter(({ id }) => !closed.has(id)))
  }
  const readReviews = async (): Promise<void> => {
    const filters = { canVerify: true, sort: 'updatedAt', limit: maxReviews, total: 'exact' } as const
    const { data, pagination } = await client.tasks.cards(filters)
    tasks.add(data)
    unlistedReviews.set(Math.max(0, (pagination.total ?? 0) - data.length))
    reviews.set(data.map(({ id }) => id))
  }
  const wasRead = createGone(maxEntries)
  const readEntries = async (): Promise<void> => {
    if (!user) return
    const unread: InboxEntry[] = []
    for await (const entry of client.inbox.list({ limit: perPage })) {
      // The question itself is shown.
      if (entry.kind !== 'question') unread.push(entry)
      if (unread.length === maxEntries) break
    }
    entries.set(unread.filter(({ id }) => !wasRead.has(id)))
  }
  const drop = (ids: readonly string[]): void => {
    for (const id of ids) wasRead.add(id)
    entries.set(entries.get().filter(({ id }) => !ids.includes(id)))
  }
  /** No event tells that entries were read, so tabs tell each other. */
  let channel: BroadcastChannel | undefined
  const readers = [readQuestions, readReviews, readEntries].map(createReader)
  const [questionReader, reviewReader, entryReader] = readers as [Throttle, Throttle, Throttle]
  const readAll = async (): Promise<void> => {
    const reads = await Promise.allSettled([readQuestions(), readReviews(), readEntries()])
    const failed = reads.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined
    failure.set(failed?.reason ?? null)
    isLoaded.set(true)
  }

  /** Entries come with the change that causes them: one that names this user. */
  const isAboutUser = (event: ChangeEvent): boolean => {
    const { data, actor } = event
    if (!user) return false
    // Own changes are told of only where they use up the attempts of a task.
    if (actor.userId === user.id && event.type !== 'task.released') return false
    const text = JSON.stringify(data)
    return text.includes(user.id) || text.includes(`@${user.handle}`) || text.includes('"truncated":true')
  }

  const onChange = (event: ChangeEvent): void => {
    if (isChangeOf(event, 'question')) {
      const { body, options, answer, ...question } = event.data
      if (body === undefined || options === undefined || answer === undefined) questionReader.ask()
      else put({ ...question, body, options, answer })
    } else if (isChangeOf(event, 'task') && 'title' in event.data) {
      const { id, statusCategory, checks } = event.data
      const isOver = statusCategory !== 'in_review' || event.type === 'task.deleted' || checks?.every(isDecided)
      if (isOver && reviews.get().includes(id)) reviews.set(reviews.get().filter((each) => each !== id))
      if (statusCategory === 'in_review') reviewReader.ask()
      // Its questions come and go with it.
      if (event.type === 'task.deleted' || event.type === 'task.restored') questionReader.ask()
    }
    // A lower maxAttempts of a project uses up those of tasks.
    if (isAboutUser(event) || event.type === 'task.deleted' || event.type === 'project.updated') entryReader.ask()
  }

  let users = 0
  let stop = (): void => undefined
  const follow = (): (() => void) => {
    const end = new AbortController()
    const onVisible = (): void => {
      if (document.visibilityState !== 'visible') return
      for (const reader of readers) if (reader.ageMs() > staleAfterMs) reader.ask(0)
    }
    document.addEventListener('visibilitychange', onVisible, { signal: end.signal })
    channel = user ? new BroadcastChannel(`worklore.inbox.${user.id}`) : undefined
    channel?.addEventListener('message', ({ data }: MessageEvent<string[]>) => drop(data))
    const onLive = (): void => {
      if (live.state.get() === 'live' && failure.get() !== null) void readAll()
    }
    const unsubscribe = [stuck.start(), onEvent(onChange), onResync(() => void readAll()), live.state.subscribe(onLive)]
    void readAll()
    return () => {
      end.abort()
      channel?.close()
      channel = undefined
      for (const each of unsubscribe) each()
      for (const reader of readers) reader.end()
    }
  }

  const inbox: Inbox = {
    questions,
    reviews,
    unlistedReviews,
    entries,
    stuck,
    isLoaded,
    failure,
    reload: () => void readAll(),
    put,
    markRead: async (ids) => {
      const marked = entries.get().filter(({ id }) => ids.includes(id))
      drop(ids)
      try {
        await client.inbox.read({ ids: [...ids] })
        channel?.postMessage([...ids])
      } catch (error) {
        for (const id of ids) wasRead.delete(id)
        entries.set([...entries.get().filter(({ id }) => !ids.includes(id)), ...marked].sort(newestFirst))
        throw error
      }
    },
    start: () => {
      users += 1
      if (users === 1 && seesTasks) stop = follow()
      return () => {
        users -= 1
        if (users === 0) stop()
      }
    },
  }
  return inbox
}

const inboxes = new WeakMap<Console, Inbox>()

/** One for all parts of the page. */
export const inboxOf = (console: Console): Inbox => {
  const known = inboxes.get(console)
  if (known) return known
  const inbox = createInbox(console)
  inboxes.set(console, inbox)
  return inbox
}
