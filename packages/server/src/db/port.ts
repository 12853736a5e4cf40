import type { Awaitable } from '../awaitable.js'
import type { Dialect } from './dialect.js'
import type { NewsListener } from './news.js'

export type Value = string | number | null | Uint8Array

export interface Statement {
  text: string
  params: readonly Value[]
}

/**
 * Where a statement runs: the store itself, or one transaction of it.
 * Statements are written once for both engines, with `?` for each parameter.
 */
export interface Sql {
  readonly dialect: Dialect
  get<R>(text: string, params?: readonly Value[]): Awaitable<R | undefined>
  all<R>(text: string, params?: readonly Value[]): Awaitable<R[]>
  /** Answers how many rows were changed. */
  run(text: string, params?: readonly Value[]): Awaitable<number>
  /** Runs statements in their order without waiting for each answer on the way; the first that fails ends it. */
  runAll(statements: readonly Statement[]): Awaitable<number[]>
  /**
   * Commits what `work` did, or nothing of it. `work` awaits only the store: on an engine with one writer
   * others wait for it, and on one with many it may be run again after a deadlock. Inside a transaction it joins.
   * Those that name the same `group` would wait for each other anyway, and may share a commit.
   */
  transaction<T>(work: (tx: Sql) => Promise<T>, group?: string): Promise<T>
  /** Tells the listeners of every node of a topic once this transaction has committed; costs no statement. */
  announce(topic: string): void
}

export interface Db extends Sql {
  /** A transaction whose statements may take as long as they need, as those of a migration may. */
  patiently<T>(work: (tx: Sql) => Promise<T>): Promise<T>
  /** Throws when the store does not answer. */
  ping(): Promise<void>
  /**
   * Calls `listener` soon after commits that announced something, on this node or another, and now and then without
   * need. News can be lost with the node that was to tell it, so a listener also looks by itself from time to time.
   */
  listen(listener: NewsListener): () => void
  close(): Promise<void>
}

/** Told of every statement after it ran: its text and how long it took. */
export type StatementObserver = (text: string, durationMs: number) => void
