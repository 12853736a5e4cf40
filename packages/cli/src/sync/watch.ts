import { type FSWatcher, lstatSync, watch } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, NetworkError, type Worklore } from 'worklore-client'
import { eventTypes, isNews } from './remote.js'
import type { PassResult, Session } from './session.js'
import type { SyncState } from './state.js'

/** Programs write a file in several steps. */
const quietMs = 100
/** What no notification told is seen after this long. */
const maxIdleMs = 60_000
/** Without notifications of the file system. */
const pollMs = 1_000
const retryMs = 1_000

/** A signal that is remembered until somebody waits for it. */
const createSignal = () => {
  let isSet = false
  let wake: (() => void) | undefined
  return {
    set: (): void => {
      isSet = true
      wake?.()
    },
    clear: (): void => {
      isSet = false
    },
    /** Returns when it is set, or after a time. */
    wait: async (ms: number): Promise<void> => {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, isSet ? 0 : ms)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    },
  }
}

/** Watches folders. Linux has no notifications of a whole tree: there each folder has its own. */
const createFolderWatch = (root: string, onChange: () => void) => {
  const watchers = new Map<string, { watcher: FSWatcher; inode: number | undefined }>()
  const isTree = process.platform === 'darwin' || process.platform === 'win32'
  let isPolling = false
  const inodeOf = (folder: string): number | undefined => lstatSync(join(root, folder), { throwIfNoEntry: false })?.ino
  const add = (folder: string): void => {
    const inode = inodeOf(folder)
    try {
      const watcher = watch(join(root, folder), { recursive: isTree }, (_, name) => {
        // What the sync itself writes.
        if (!name || !/(^|[\\/])\.(wl-sync-|worklore)/.test(String(name))) onChange()
      })
      const drop = (): void => {
        watcher.close()
        watchers.delete(folder)
        onChange()
      }
      watcher.on('error', drop)
      watchers.set(folder, { watcher, inode })
    } catch (error) {
      // There are no watches left, or the folder is gone.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') isPolling = true
    }
  }
  return {
    /** Follows the folders that there are now; answers whether some were not watched until now. */
    follow: (folders: readonly string[]): boolean => {
      const wanted = new Set(isTree ? [''] : folders)
      for (const [folder, { watcher, inode }] of watchers) {
        // A watch stays with its folder when that is renamed.
        if (wanted.has(folder) && inode === inodeOf(folder)) continue
        watcher.close()
        watchers.delete(folder)
      }
      const missing = [...wanted].filter((folder) => !watchers.has(folder))
      for (const folder of missing) add(folder)
      return missing.length > 0 && !isPolling
    },
    get isPolling() {
      return isPolling
    },
    close: (): void => {
      for (const { watcher } of watchers.values()) watcher.close()
    },
  }
}

const isOutage = (error: unknown): error is Error =>
  error instanceof NetworkError || (error instanceof ApiError && (error.status === 429 || error.status >= 500))

const awayNote = ({ message }: Error): string => `${message} Trying again until it is back.`

/** Repeats a call for as long as the service is away. */
export const whenBack = async <T>(call: () => Promise<T>, note: (line: string) => void): Promise<T> => {
  for (let isAway = false; ; isAway = true) {
    try {
      return await call()
    } catch (error) {
      if (!isOutage(error)) throw error
      if (!isAway) note(awayNote(error))
      await sleep(retryMs)
    }
  }
}

interface WatchCallbacks {
  note(line: string): void
  /** Told after each pass. */
  onPass(result: PassResult): void
}

/** Syncs again whenever something changes on either side; ends only by an error. */
export const watchBoth = async (
  wl: Worklore,
  root: string,
  state: SyncState,
  session: Session,
  { note, onPass }: WatchCallbacks,
): Promise<never> => {
  const changed = createSignal()
  const folders = createFolderWatch(root, changed.set)
  const ended = new AbortController()
  let failure: unknown
  let isAway = false

  const followEvents = async (): Promise<void> => {
    for (;;) {
      try {
        const events = wl.events.stream(
          { types: eventTypes, after: state.position ?? 'latest' },
          { signal: ended.signal, onOpen: changed.set },
        )
        for await (const event of events) if (isNews(event, state)) changed.set()
      } catch (error) {
        if (ended.signal.aborted) return
        const isGone = error instanceof ApiError && (error.status === 410 || error.status === 400)
        if (!isGone && !isOutage(error)) failure = error
        // The pass finds the position in the log anew.
        changed.set()
        if (failure) return
        await sleep(retryMs)
      }
    }
  }

  let following: Promise<void> | undefined
  try {
    for (;;) {
      let waitMs = folders.isPolling ? pollMs : maxIdleMs
      changed.clear()
      try {
        const result = await session.run()
        isAway = false
        onPass(result)
        following ??= followEvents()
        // A folder that was not watched may have been changed before it was.
        if (folders.follow(result.folders) || result.isRepeated) waitMs = 0
        else if (result.isWaiting) waitMs = pollMs
      } catch (error) {
        if (!isOutage(error)) throw error
        if (!isAway) note(awayNote(error))
        isAway = true
        waitMs = retryMs
      }
      if (failure) throw failure
      await changed.wait(waitMs)
      await sleep(quietMs)
    }
  } finally {
    folders.close()
    ended.abort()
    await following
  }
}
