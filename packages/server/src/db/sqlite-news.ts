import type { DatabaseSync } from '@photostructure/sqlite'
import { anyNews, createNewsDesk, type NewsListener } from './news.js'

const lookEveryMs = 100

/**
 * News of commits: this process's own at once, and those of another, such as the command line, by looking at the
 * number that SQLite changes when another connection than this one commits.
 */
export const createSqliteNews = (writer: InstanceType<typeof DatabaseSync>) => {
  const desk = createNewsDesk()
  const version = writer.prepare('pragma data_version')
  const currentVersion = (): unknown => (version.get() as { data_version: number }).data_version
  let known: unknown
  let timer: NodeJS.Timeout | undefined

  const look = (): void => {
    const current = currentVersion()
    if (current === known) return
    known = current
    desk.tell(anyNews)
  }

  return {
    publish: desk.publish,
    listen: (listener: NewsListener): (() => void) => {
      if (!timer) {
        known = currentVersion()
        timer = setInterval(look, lookEveryMs).unref()
      }
      const leave = desk.listen(listener)
      return () => {
        leave()
        if (desk.hasListeners()) return
        clearInterval(timer)
        timer = undefined
      }
    },
    close: (): void => clearInterval(timer),
  }
}
