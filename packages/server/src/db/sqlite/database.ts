import { dirname } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import type { Awaitable } from '../../base/awaitable.js'
import { createLruCache } from '../../base/lru-cache.js'
import { type Scheduler, serviceGroup, unscheduled, writerGroup } from '../../scheduling/scheduler.js'
import { sqliteDialect } from '../dialect.js'
import { createKnownDueTimes } from '../known-due-times.js'
import type { OpenOptions } from '../open.js'
import { replaceParameters } from '../parameters.js'
import {
  type Access,
  type Db,
  everyGroup,
  maxPreparedStatements,
  type Sql,
  type Statement as SqlStatement,
  type StatementObserver,
  type Value,
} from '../port.js'
import { createSqliteCommitNotifier } from './commit-notifier.js'
import { createGroupCommit } from './group-commit.js'
import { createStoreHealth, type StoreHealth } from './health.js'
import { createRememberedRows } from './remembered-rows.js'

type Connection = InstanceType<typeof DatabaseSync>
type Statement = ReturnType<Connection['prepare']>

/** How long opening, reading and closing wait for a lock of another process. Such locks are rare. */
const busyTimeoutMs = 5_000

/** How many tenants' statements stay prepared; limits only memory. */
const maxTenants = 1_000

interface Prepared {
  statement: Statement
  /** Of the columns, in their order; asked for with the first row. */
  names: readonly string[] | undefined
}

const preparedStatements = (connection: Connection): ((text: string) => Prepared) => {
  const statements = createLruCache<Prepared>(maxPreparedStatements)
  const prepare = (text: string): Prepared => {
    const statement = connection.prepare(replaceParameters(text, (at) => `?${at + 1}`))
    statement.setReturnArrays(true)
    return { statement, names: undefined }
  }
  return (text) => statements.get(text, () => prepare(text))
}

/** The driver's own rows are dictionaries, which take longer to make and to read than an object of one shape. */
const rowOf = (prepared: Prepared, values: readonly unknown[]): Record<string, unknown> => {
  prepared.names ??= prepared.statement.columns().map(({ name }) => name)
  const { names } = prepared
  const row: Record<string, unknown> = {}
  for (let at = 0; at < names.length; at++) row[names[at]!] = values[at]
  return row
}

interface StatementHooks {
  beforeEach?: () => void
  /** Of the transaction under way. */
  group?: () => string | undefined
}

const statementsOn = (
  connection: Connection,
  observe: StatementObserver,
  health: StoreHealth,
  { beforeEach = () => {}, group = () => undefined }: StatementHooks = {},
): Omit<Sql, 'transaction' | 'announce' | 'statementText' | 'dueTimes'> => {
  const prepare = preparedStatements(connection)
  const timed = <T>(text: string, access: Access, execute: (prepared: Prepared) => T): T => {
    const startedAt = performance.now()
    try {
      beforeEach()
      return execute(prepare(text))
    } catch (error) {
      throw health.note(error)
    } finally {
      observe(text, performance.now() - startedAt, group(), access)
    }
  }
  const run = (text: string, params: readonly Value[] = []) =>
    timed(text, 'write', ({ statement }) => statement.run(...params).changes)
  const get = <R>(text: string, params: readonly Value[] = []): R | undefined =>
    timed(text, 'read', (prepared) => {
      const values = prepared.statement.get(...params) as unknown[] | undefined
      return values && (rowOf(prepared, values) as R)
    })
  const rowsFrom =
    (access: Access) =>
    <R>(text: string, params: readonly Value[] = []): R[] =>
      timed(text, access, (prepared) => {
        const rows = prepared.statement.all(...params) as unknown as unknown[][]
        return rows.map((values) => rowOf(prepared, values) as R)
      })
  return {
    dialect: sqliteDialect,
    get,
    lookup: get,
    all: rowsFrom('read'),
    run,
    runReturning: rowsFrom('write'),
    runAll: (statements) => statements.map(({ text, params }) => run(text, params)),
    awaitBeforeCommit: (write) => write,
  }
}

/**
 * Runs the statements of one group, each in its own turn of the scheduler. Statements issued without awaiting the
 * previous one run in the order they were issued.
 */
const scheduled = (
  statements: ReturnType<typeof statementsOn>,
  scheduler: Scheduler,
  group: string,
): ReturnType<typeof statementsOn> => {
  const inTurn = <T>(execute: () => Awaitable<T>): Awaitable<T> => {
    const turn = scheduler.turn(group)
    return turn ? turn.then(execute) : execute()
  }
  const runFrom = (wanted: readonly SqlStatement[], counts: number[]): Awaitable<number[]> => {
    for (const { text, params } of wanted.slice(counts.length)) {
      const turn = scheduler.turn(group)
      const run = (): number => counts.push(statements.run(text, params) as number)
      if (turn) return turn.then(run).then(() => runFrom(wanted, counts))
      run()
    }
    return counts
  }
  return {
    ...statements,
    get: (text, params) => inTurn(() => statements.get(text, params)),
    lookup: (text, params, group) => inTurn(() => statements.lookup(text, params, group)),
    all: (text, params) => inTurn(() => statements.all(text, params)),
    run: (text, params) => inTurn(() => statements.run(text, params)),
    runReturning: (text, params) => inTurn(() => statements.runReturning(text, params)),
    runAll: (wanted) => runFrom(wanted, []),
  }
}

/** The system caches the file too, at no cost to the service's memory. */
const readerCacheKb = 8_000
const writerCacheKb = 4_000
/** Of a thread or command that answers no requests. */
const backgroundCacheKb = 1_000

const open = (path: string, readOnly: boolean, cacheKb: number): Connection => {
  const connection = new DatabaseSync(path, { readOnly, timeout: busyTimeoutMs, enableForeignKeyConstraints: true })
  connection.exec(`pragma cache_size = -${cacheKb}; pragma temp_store = memory`)
  return connection
}

/** Puts the log into the database, so that a stopped service leaves its store in one file. */
const emptyLog = (writer: Connection): void => {
  try {
    writer.exec(`pragma busy_timeout = ${busyTimeoutMs}`)
    writer.exec('pragma wal_checkpoint(truncate)')
  } catch {
    // As on a full disk: the log stays, and nothing is lost.
  }
}

/**
 * Statements that are made in one turn of the event loop read from one snapshot: SQLite would lock and unlock the log
 * for each of them. It ends before a commit, so that what is read next has what was committed. Commits of others are
 * seen a turn later, so it is for the thread that commits.
 */
const createSnapshot = (connection: Connection) => {
  const begin = connection.prepare('begin')
  const commit = connection.prepare('commit')
  let isOpen = false
  const end = (): void => {
    if (!isOpen) return
    isOpen = false
    try {
      // A serious error may have ended the transaction already.
      if (connection.isTransaction) commit.run()
    } catch {
      // For example after reading a damaged page, which has already failed the request that needed it.
      if (connection.isTransaction) connection.exec('rollback')
    }
  }
  const open = (): void => {
    if (isOpen) return
    begin.run()
    isOpen = true
    setImmediate(end)
  }
  return { open, end }
}

/**
 * The number that SQLite changes when another connection than the writer commits, looked at once a turn of the event
 * loop. A snapshot from before that commit ends.
 */
const createForeignCommits = (writer: Connection, health: StoreHealth, endSnapshot: () => void): (() => number) => {
  const version = writer.prepare('pragma data_version')
  let isKnown = false
  let known = 0
  const forget = (): void => {
    isKnown = false
  }
  return () => {
    if (isKnown) return known
    isKnown = true
    setImmediate(forget)
    try {
      const { data_version } = version.get() as { data_version: number }
      if (data_version !== known) endSnapshot()
      known = data_version
    } catch (error) {
      throw health.note(error)
    }
    return known
  }
}

/**
 * One connection writes and another reads, so that a reader sees committed data only. Transactions that arrive
 * together share one commit and with it one fsync.
 */
export const openSqlite = (path: string, options: OpenOptions = {}): Db => {
  const { observe = () => {}, isOnlyWriter = false, scheduler = unscheduled } = options
  const writer = open(path, false, isOnlyWriter ? writerCacheKb : backgroundCacheKb)
  // What is deleted is overwritten, so that purged texts are gone from the file. `fast` would leave those on free pages.
  writer.exec('pragma secure_delete = on')
  writer.exec('pragma journal_mode = wal; pragma synchronous = full; pragma journal_size_limit = 67108864')
  // Pages that many writes touch are copied to the database once in these many, and not once in SQLite's usual 1,000.
  writer.exec('pragma wal_autocheckpoint = 8000')
  // The group commit waits for a lock without blocking the event loop.
  writer.exec('pragma busy_timeout = 0')
  const health = createStoreHealth(dirname(path))
  const reader = open(path, true, isOnlyWriter ? readerCacheKb : backgroundCacheKb)
  const snapshot = createSnapshot(reader)
  const texts = createLruCache<string>(maxPreparedStatements)
  const dueTimes = createKnownDueTimes()
  const onWriter = statementsOn(writer, observe, health, { group: () => groupCommit.currentGroup() })
  const inTransaction = scheduled(onWriter, scheduler, writerGroup)
  const groupCommit = createGroupCommit(writer, onWriter, snapshot.end, scheduler)
  const notifier = createSqliteCommitNotifier(writer)
  const transaction = async <T>(work: (tx: Sql) => Promise<T>, group = serviceGroup): Promise<T> => {
    const topics = new Set<string>()
    const tx: Sql = {
      ...inTransaction,
      statementText: texts.get,
      dueTimes,
      transaction: (inner) => inner(tx),
      announce: (topic) => topics.add(topic),
    }
    const result = await scheduler.resume(
      group,
      groupCommit.add(group, () => work(tx)),
    )
    if (topics.size > 0) notifier.publish(topics)
    return result
  }
  // A table that is rebuilt is dropped on the way, which must not take the rows that refer to it along.
  const migrationTransaction = async <T>(work: (tx: Sql) => Promise<T>): Promise<T> => {
    await groupCommit.drained()
    writer.exec('pragma foreign_keys = off')
    try {
      return await transaction(work, everyGroup)
    } finally {
      writer.exec('pragma foreign_keys = on')
    }
  }
  const foreignCommits = createForeignCommits(writer, health, snapshot.end)
  const commitsOf = (group: string): string => `${groupCommit.commitsOf(group)}.${foreignCommits()}`
  const reads = statementsOn(reader, observe, health, isOnlyWriter ? { beforeEach: snapshot.open } : {})
  const remembered = createRememberedRows(commitsOf)
  const lookup = <R>(text: string, params: readonly Value[] = [], group?: string) =>
    group === undefined || !isOnlyWriter
      ? reads.get<R>(text, params)
      : remembered(text, params, group, () => reads.get<R>(text, params))
  const readsOf = (group: string): Pick<Sql, 'get' | 'lookup' | 'all'> => {
    const { get, lookup: lookupInTurn, all } = scheduled({ ...reads, lookup }, scheduler, group)
    return { get, lookup: lookupInTurn, all }
  }
  const tenants = createLruCache<Sql>(maxTenants)
  const db: Db = {
    ofTenant: (tenantId) => tenants.get(tenantId, () => ({ ...db, ...readsOf(tenantId) })),
    dialect: sqliteDialect,
    statementText: texts.get,
    dueTimes,
    ...readsOf(serviceGroup),
    run: (text, params) => groupCommit.add(serviceGroup, async () => onWriter.run(text, params)),
    runReturning: (text, params) => groupCommit.add(serviceGroup, async () => onWriter.runReturning(text, params)),
    runAll: (statements) => groupCommit.add(serviceGroup, async () => onWriter.runAll(statements)),
    awaitBeforeCommit: (write) => write,
    transaction,
    migrationTransaction,
    announce: (topic) => notifier.publish([topic]),
    listen: notifier.listen,
    hearsOthers: true,
    listenSync: notifier.listenSync,
    foreignCommits,
    commitsOf,
    ping: async () => {
      reads.get('select 1')
      await health.check()
    },
    close: async () => {
      await groupCommit.drained()
      notifier.close()
      snapshot.end()
      reader.close()
      // SQLite does so by itself only when the last statement is gone too, which the driver leaves to the collector.
      if (isOnlyWriter) emptyLog(writer)
      writer.close()
    },
  }
  return db
}
