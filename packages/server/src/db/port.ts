import type { Awaitable } from '../base/awaitable.js'
import type { CommitListener } from './commit-notifier.js'
import type { Dialect } from './dialect.js'
import type { KnownDueTimes } from './known-due-times.js'

export type Value = string | number | null | Uint8Array

export interface Statement {
  text: string
  params: readonly Value[]
}

/**
 * Where a statement runs: the store itself, or one transaction of it.
 * Statements are written once for both engines, with `?` for each parameter. `:tenant` repeats the parameter of the first
 * `tenant_id = ?`: every table of a statement names its tenant so, not by its join to another table.
 */
export interface Sql {
  readonly dialect: Dialect
  /** Of the store, the same for all its transactions. */
  readonly dueTimes: KnownDueTimes
  /** A long text that is the same again, built once for its name; the names are few. */
  statementText(name: string, build: () => string): string
  /** Reads, as `lookup` and `all` do: a statement that writes is given to one of the `run` methods. */
  get<R>(text: string, params?: readonly Value[]): Awaitable<R | undefined>
  /**
   * The same, for a row that an index leads to at once. PostgreSQL gets many of these together over one connection, where
   * a slow statement would hold up all that follow. Where only transactions of one `group` change the row, the embedded
   * store may answer from memory while that group commits nothing.
   */
  lookup<R>(text: string, params?: readonly Value[], group?: string): Awaitable<R | undefined>
  all<R>(text: string, params?: readonly Value[]): Awaitable<R[]>
  /** Answers how many rows were changed. */
  run(text: string, params?: readonly Value[]): Awaitable<number>
  /** The rows that a write returns. */
  runReturning<R>(text: string, params?: readonly Value[]): Awaitable<R[]>
  /** Runs statements in their order without waiting for each answer on the way; the first that fails ends it. */
  runAll(statements: readonly Statement[]): Awaitable<number[]>
  /**
   * Waits for a write on whose outcome nothing in the transaction depends but the commit. Where changes share a
   * transaction, the next one begins meanwhile; its statements follow those of this write.
   */
  awaitBeforeCommit(write: Promise<void>): Awaitable<void>
  /**
   * Commits what `work` did, or nothing of it. `work` awaits only the store, since on an engine with one writer others
   * wait for it, and may be run again: after a deadlock, or if another that shares its commit fails. Inside a
   * transaction it joins. Those that name the same `group` would wait for each other anyway, and may share a commit;
   * groups are served in turn.
   */
  transaction<T>(work: (tx: Sql) => Promise<T>, group?: string): Promise<T>
  /** Tells the listeners of every node of a topic once this transaction has committed; costs no statement. */
  announce(topic: string): void
}

export interface Db extends Sql {
  /** For the statements of one tenant outside of transactions. Where they have to wait, tenants are served in turn. */
  ofTenant(tenantId: string): Sql
  /** The transaction of a migration: its statements take as long as they need, and may rebuild tables. */
  migrationTransaction<T>(work: (tx: Sql) => Promise<T>): Promise<T>
  /** Throws when the store does not answer. */
  ping(): Promise<void>
  /**
   * Calls `listener` soon after commits that announced something, on this node or another, and now and then without
   * need. A notification can be lost with the node that was to send it, so a listener also polls from time to time.
   */
  listen(listener: CommitListener): () => void
  /** Whether `listen` hears of the commits of other nodes. */
  hearsOthers: boolean
  /** Calls `listener` for each commit of this process that announced something, before its caller continues. */
  listenSync(listener: CommitListener): void
  /**
   * Differs from the last answer once another process has committed, where the engine can tell exactly; on the others it
   * is constant and only `listen` tells. Asked before a read, that read sees those commits.
   */
  foreignCommits(): number
  /**
   * Differs from every earlier answer once a transaction of this group has committed, on whichever node. Asked before a
   * read, that read sees those commits.
   */
  commitsOf(group: string): Awaitable<string>
  /** Of a store with connections. */
  figures?(): StoreFigures
  close(): Promise<void>
}

interface Load {
  running: number
  waiting: number
}

/** How a store's connections fare, for whoever watches the service. */
export interface StoreFigures {
  work: Record<'statements' | 'lookups' | 'large' | 'transactions', Load>
  connectionsLost: number
  primaryMoves: number
  listens: number
}

/**
 * Statements that are kept prepared, by text, on each connection. Texts are to stay fewer: an engine keeps for each of
 * them tens of kilobytes, and SQLite's driver never gives them back.
 */
export const maxPreparedStatements = 500

/** Transactions that wait for their turn on a node; more are refused, since they could not be served soon. */
export const maxWaitingTransactions = 20_000

/** The group of a transaction that may change the rows of every tenant. */
export const everyGroup = '*'

export type Access = 'read' | 'write'

/** Told of every statement after it ran: its text, how long it took, the group of its transaction, and how it was run. */
export type StatementObserver = (text: string, durationMs: number, group: string | undefined, access: Access) => void
