import type { Writers } from './markers.js'

export interface ListPosition {
  /** Everything that changed before is in step. */
  since?: string
  /** Of the answer to this `since`. */
  etag?: string
  /** How many records it has, where the ETag is of the last of several pages. */
  count?: number
}

/** An open pull request that a task shows, as it was looked at last. */
export interface OpenPull {
  number: number
  sha: string
  updatedAt: string
  isRunning: boolean
  /** Of the answers about the pull request and its checks. */
  etag?: string
  checksEtag?: string
}

/** How far the bridge has come, kept in the service so that any machine can go on. */
export interface Position {
  /** The direction and the labels that it holds for. */
  mode?: string
  issues: ListPosition
  comments: ListPosition
  /** The event of the service up to which everything is in step. */
  events?: number
  /** Issues that were refused by one side and are tried again in the next run. */
  pending: number[]
  /** Issues whose comments were refused by one side, and are compared again in the next run. */
  unfinished: number[]
  /** Tasks whose issue was refused, or left to another run. */
  unsent: string[]
  /** Issues whose task was deleted: no new one is created for them. */
  gone: number[]
  /** Of those, the ones that no run has closed yet: one with `--delete` does. */
  left: number[]
  /** Comments of GitHub whose copies were deleted: they get no new ones. */
  dropped: number[]
  /** Their checks end without a change of the pull request. */
  openPulls: OpenPull[]
  /** The tasks that pull requests are shown on. */
  named: [pull: number, taskIds: string[]][]
  /** A run ended before its end: `named` may lack what it showed. */
  isInterrupted?: true
  /** What the bridge has written with so far: copies of an earlier token or key are its own. */
  writers: Writers
}

const maxPending = 1_000
const maxGone = 20_000
const maxPulls = 100
const maxNamed = 1_000

export const emptyPosition = (): Position => ({
  issues: {},
  comments: {},
  pending: [],
  unfinished: [],
  unsent: [],
  gone: [],
  left: [],
  dropped: [],
  openPulls: [],
  named: [],
  writers: { logins: [], keys: [] },
})

const maxWriters = 100

const withNewest = (known: readonly string[], newest: string): string[] =>
  [...new Set([...known, newest])].slice(-maxWriters)

export const withWriter = ({ logins, keys }: Writers, login: string, key: string): Writers => ({
  logins: withNewest(logins, login),
  keys: withNewest(keys, key),
})

export const bounded = (position: Position): Position => ({
  ...position,
  pending: position.pending.slice(-maxPending),
  unfinished: position.unfinished.slice(-maxPending),
  unsent: position.unsent.slice(-maxPending),
  gone: position.gone.slice(-maxGone),
  left: position.left.slice(-maxGone),
  dropped: position.dropped.slice(-maxPending),
  openPulls: position.openPulls.slice(-maxPulls),
  named: position.named.slice(-maxNamed),
})
