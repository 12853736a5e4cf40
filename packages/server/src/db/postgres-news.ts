import type postgres from 'postgres'
import { randomBase62 } from '../ids.js'
import { anyNews, createNewsDesk, type NewsListener } from './news.js'

const channel = 'worklore_news'
/** Commits of this long share one message: telling the others is work for the whole server, and takes a lock there. */
const gatherMs = 10
/** A message has at most 8,000 bytes. */
const topicsPerMessage = 200
const tryAgainMs = 1_000

/**
 * News of commits, here at once and on the other nodes by NOTIFY. It is sent after the commit and not inside it: a
 * transaction that notifies holds a lock of the whole server while it is written to disk. What a node that dies in
 * between does not tell, the listeners' own slow polling finds.
 */
export const createPostgresNews = (pool: Pick<postgres.Sql, 'notify' | 'listen'>) => {
  const desk = createNewsDesk()
  const self = randomBase62(8)
  let gathered = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let isListening = false
  let isClosed = false

  const send = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    const topics = [...gathered]
    gathered = new Set()
    for (let at = 0; at < topics.length; at += topicsPerMessage) {
      const message = [self, ...topics.slice(at, at + topicsPerMessage)].join(' ')
      await pool.notify(channel, message).catch(() => {})
    }
  }

  const hear = (message: string): void => {
    const [sender, ...topics] = message.split(' ')
    if (sender !== self) desk.publish(topics)
  }

  const listenToOthers = (): void => {
    if (isClosed) return
    // Again after each lost connection, and whatever was told meanwhile is unheard.
    pool.listen(channel, hear, () => desk.tell(anyNews)).catch(() => setTimeout(listenToOthers, tryAgainMs).unref())
  }

  return {
    publish: (topics: ReadonlySet<string>): void => {
      desk.publish(topics)
      for (const topic of topics) gathered.add(topic)
      timer ??= setTimeout(send, gatherMs)
    },
    listen: (listener: NewsListener): (() => void) => {
      if (!isListening) listenToOthers()
      isListening = true
      return desk.listen(listener)
    },
    close: async (): Promise<void> => {
      isClosed = true
      await send()
    },
  }
}
