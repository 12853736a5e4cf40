/** What was announced: ask it for a topic. */
export interface News {
  has(topic: string): boolean
}

export type NewsListener = (news: News) => void

/** Told when something may have been announced that was not heard. */
export const anyNews: News = { has: () => true }

export interface NewsDesk {
  /** Gathers topics of commits that come together and tells them at once. */
  publish(topics: Iterable<string>): void
  tell(news: News): void
  listen(listener: NewsListener): () => void
  hasListeners(): boolean
}

/** Passes news on inside this process. */
export const createNewsDesk = (): NewsDesk => {
  const listeners = new Set<NewsListener>()
  let gathered: Set<string> | undefined

  const tell = (news: News): void => {
    for (const listener of listeners) listener(news)
  }
  const tellGathered = (): void => {
    const news = gathered
    gathered = undefined
    if (news) tell(news)
  }

  return {
    publish: (topics) => {
      if (listeners.size === 0) return
      if (!gathered) {
        gathered = new Set()
        setImmediate(tellGathered)
      }
      for (const topic of topics) gathered.add(topic)
    },
    tell,
    listen: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    hasListeners: () => listeners.size > 0,
  }
}
