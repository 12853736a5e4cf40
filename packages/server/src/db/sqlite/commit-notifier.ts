import type { DatabaseSync } from '@photostructure/sqlite'
import { anyCommit, type CommitListener, createCommitNotifier } from '../commit-notifier.js'

const pollEveryMs = 100

/**
 * Notifies of this process's commits at once, and of those of another, such as the command line, by polling the
 * number that SQLite changes when another connection than this one commits.
 */
export const createSqliteCommitNotifier = (writer: InstanceType<typeof DatabaseSync>) => {
  const local = createCommitNotifier()
  const version = writer.prepare('pragma data_version')
  /** Undefined if the database cannot be read; the requests that need it report that. */
  const currentVersion = (): number | undefined => {
    try {
      return (version.get() as { data_version: number }).data_version
    } catch {
      return undefined
    }
  }
  let known: unknown
  let timer: NodeJS.Timeout | undefined

  const poll = (): void => {
    const current = currentVersion()
    if (current === known) return
    known = current
    local.notify(anyCommit)
  }

  return {
    publish: local.publish,
    listenSync: local.listenSync,
    listen: (listener: CommitListener): (() => void) => {
      if (!timer) {
        known = currentVersion()
        timer = setInterval(poll, pollEveryMs).unref()
      }
      const leave = local.listen(listener)
      return () => {
        leave()
        if (local.hasListeners()) return
        clearInterval(timer)
        timer = undefined
      }
    },
    close: (): void => clearInterval(timer),
  }
}
