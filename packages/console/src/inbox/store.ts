import type { ChangeEvent, InboxEntry, Question, Task } from 'worklore-client'
import { hasScope } from '../api/permissions'
import type { Console } from '../store/console'
import { createObservable, type Observable } from '../store/observable'
import { isForMe } from '../tasks/questions/rights'

const perPage = 100
const maxQuestions = 500
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
  /** Unread entries, the newest first. */
  entries: Observable<readonly InboxEntry[]>
  isLoaded: Observable<boolean>
  put(question: Question): void
  markRead(ids: readonly string[]): Promise<void>
  /** Follows the service; returns a function that ends it. */
  start(): () => void
}

/** Runs after a delay, with what was asked for until then, and not too often. */
const createReader = (read: () => Promise<void>) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  let lastMs = -minGapMs
  return {
    isStale: (): boolean => performance.now() - lastMs > staleAfterMs,
    ask: (waitMs = delayMs): void => {
      timer ??= setTimeout(
        () => {
          timer = undefined
          lastMs = performance.now()
          // What was last known stays; the next event or look at the page tries again.
          read().catch(() => undefined)
        },
        Math.max(waitMs, lastMs + minGapMs - performance.now()),
      )
    },
    end: (): void => {
      clearTimeout(timer)
      timer = undefined
    },
  }
}

const isDecided = ({ state }: Task['checks'][number]): boolean => state !== 'open'
const newestFirst = (a: Question, b: Question): number => (a.id < b.id ? 1 : -1)

const createInbox = ({ client, me, tasks, onEvent, generation, waiting }: Console): Inbox => {
  const questions = createObservable<readonly Question[]>([])
  const reviews = createObservable<readonly string[]>([])
  const entries = createObservable<readonly InboxEntry[]>([])
  const isLoaded = createObservable(false)
  const seesTasks = hasScope(me.get(), 'tasks:read')
  const { user } = me.get()

  const count = (): void => waiting.set(questions.get().length + reviews.get().length + entries.get().length)
  for (const list of [questions, reviews, entries]) list.subscribe(count)

  /** Closed since they may have been read: a list that was read before must not bring them back. */
  const closed = new Set<string>()
  const put = (question: Question): void => {
    if (question.state === 'open') closed.delete(question.id)
    else closed.add(question.id)
    if (closed.size > maxQuestions) closed.delete(closed.values().next().value!)
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
    const { data } = await client.tasks.cards({ canVerify: true, sort: '-updatedAt', limit: perPage })
    tasks.add(data)
    reviews.set(data.map(({ id }) => id))
  }
  const readEntries = async (): Promise<void> => {
    if (!user) return
    const { data } = await client.inbox.list({ limit: perPage })
    // The question itself is shown.
    entries.set(data.filter(({ kind }) => kind !== 'question'))
  }
  const readers = [readQuestions, readReviews, readEntries].map(createReader)
  const [questionReader, reviewReader, entryReader] = readers as [Reader, Reader, Reader]
  const readAll = async (): Promise<void> => {
    await Promise.allSettled([readQuestions(), readReviews(), readEntries()])
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
    if (event.type.startsWith('question.')) {
      const question = event.data as Question & { truncated?: true }
      if (question.truncated) questionReader.ask()
      else put(question)
    } else if (event.type.startsWith('task.')) {
      const { id, status, checks } = event.data as Task & { checks?: Task['checks'] }
      const isOver = status !== 'in_review' || event.type === 'task.deleted' || checks?.every(isDecided)
      if (isOver && reviews.get().includes(id)) reviews.set(reviews.get().filter((each) => each !== id))
      if (status === 'in_review') reviewReader.ask()
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
      for (const reader of readers) if (reader.isStale()) reader.ask(0)
    }
    document.addEventListener('visibilitychange', onVisible, { signal: end.signal })
    const unsubscribe = [onEvent(onChange), generation.subscribe(() => void readAll())]
    void readAll()
    return () => {
      end.abort()
      for (const each of unsubscribe) each()
      for (const reader of readers) reader.end()
    }
  }

  return {
    questions,
    reviews,
    entries,
    isLoaded,
    put,
    markRead: async (ids) => {
      const before = entries.get()
      entries.set(before.filter(({ id }) => !ids.includes(id)))
      try {
        await client.inbox.read({ ids: [...ids] })
      } catch (error) {
        entries.set(before)
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
}

type Reader = ReturnType<typeof createReader>

const inboxes = new WeakMap<Console, Inbox>()

/** One for all parts of the page. */
export const inboxOf = (console: Console): Inbox => {
  const known = inboxes.get(console)
  if (known) return known
  const inbox = createInbox(console)
  inboxes.set(console, inbox)
  return inbox
}
