import type postgres from 'postgres'
import { randomBase62 } from '../../base/ids.js'
import { anyCommit, type CommitListener, createCommitNotifier } from '../commit-notifier.js'

const channel = 'worklore_commits'
/** Commits within this time share one message: NOTIFY is work for the whole server, and takes a lock there. */
const batchMs = 10
/** A message has at most 8,000 bytes. */
const topicsPerMessage = 200
const tryAgainMs = 1_000

interface NotifyingPool extends Pick<postgres.Sql, 'listen'> {
  notify(channel: string, message: string): Promise<unknown>
}

/**
 * Notifies of commits, here at once and on the other nodes by NOTIFY. It is sent after the commit and not inside it: a
 * transaction that notifies holds a lock of the whole server while it is written to disk. What a node that dies in
 * between does not send, the listeners' own slow polling finds.
 */
export const createPostgresCommitNotifier = (pool: NotifyingPool) => {
  const local = createCommitNotifier()
  const self = randomBase62(8)
  let pending = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let isListening = false
  let attempts = 0
  let isClosed = false

  const send = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    const topics = [...pending]
    pending = new Set()
    for (let at = 0; at < topics.length; at += topicsPerMessage) {
      const message = [self, ...topics.slice(at, at + topicsPerMessage)].join(' ')
      await pool.notify(channel, message).catch(() => {})
    }
  }

  const receive = (message: string): void => {
    const [sender, ...topics] = message.split(' ')
    if (sender !== self) local.publish(topics)
  }

  const listenToOthers = (): void => {
    if (isClosed) return
    const own = ++attempts
    // Again after each lost connection: messages sent meanwhile are lost.
    pool
      .listen(channel, receive, () => local.notify(anyCommit))
      .catch(() => setTimeout(() => own === attempts && listenToOthers(), tryAgainMs).unref())
  }

  return {
    publish: (topics: ReadonlySet<string>): void => {
      local.publish(topics)
      for (const topic of topics) pending.add(topic)
      timer ??= setTimeout(send, batchMs)
    },
    listenSync: local.listenSync,
    /** After the connection that listens was replaced. */
    listenAgain: (): void => {
      if (isListening) listenToOthers()
    },
    listen: (listener: CommitListener): (() => void) => {
      if (!isListening) listenToOthers()
      isListening = true
      return local.listen(listener)
    },
    close: async (): Promise<void> => {
      isClosed = true
      await send()
    },
  }
}
