/** Tells which topics were announced by commits. */
export interface CommitNotification {
  has(topic: string): boolean
  /** All of them; absent where it may be any. */
  keys?(): Iterable<string>
}

export type CommitListener = (notification: CommitNotification) => void

/** Sent when a commit may have been missed. */
export const anyCommit: CommitNotification = { has: () => true }

interface CommitNotifier {
  /** Topics of commits that come together are sent as one notification. */
  publish(topics: Iterable<string>): void
  notify(notification: CommitNotification): void
  listen(listener: CommitListener): () => void
  /** Calls `listener` for each commit of this process, before its caller continues. */
  listenSync(listener: CommitListener): void
  hasListeners(): boolean
}

/** Passes notifications on inside this process. */
export const createCommitNotifier = (): CommitNotifier => {
  const listeners = new Set<CommitListener>()
  const syncListeners: CommitListener[] = []
  let pending: Set<string> | undefined

  const notify = (notification: CommitNotification): void => {
    for (const listener of listeners) listener(notification)
  }
  const notifyPending = (): void => {
    const topics = pending
    pending = undefined
    if (topics) notify(topics)
  }

  return {
    publish: (topics) => {
      const announced = new Set(topics)
      for (const listener of syncListeners) listener(announced)
      if (listeners.size === 0) return
      if (!pending) {
        pending = new Set()
        setImmediate(notifyPending)
      }
      for (const topic of announced) pending.add(topic)
    },
    notify,
    listen: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    listenSync: (listener) => void syncListeners.push(listener),
    hasListeners: () => listeners.size > 0,
  }
}
