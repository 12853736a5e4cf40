import { DatabaseSync } from '@photostructure/sqlite'
import { sqliteDialect } from './dialect.js'
import { createGroupCommit } from './group-commit.js'
import type { OpenOptions } from './open.js'
import type { Db, Sql, StatementObserver, Value } from './port.js'
import { storageError } from './sqlite-errors.js'
import { createSqliteNews } from './sqlite-news.js'

type Connection = InstanceType<typeof DatabaseSync>
type Statement = ReturnType<Connection['prepare']>

const busyTimeoutMs = 5_000

/** SQLite plans a statement anew each time a limit is bound to it, unless the limit is an expression. */
const planOnce = (text: string): string => text.replaceAll('limit ?', 'limit ? + 0')

interface Prepared {
  statement: Statement
  /** Of the columns, in their order; asked for with the first row. */
  names: readonly string[] | undefined
}

const preparedStatements = (connection: Connection): ((text: string) => Prepared) => {
  const statements = new Map<string, Prepared>()
  return (text) => {
    let prepared = statements.get(text)
    if (!prepared) {
      prepared = { statement: connection.prepare(planOnce(text)), names: undefined }
      prepared.statement.setReturnArrays(true)
      statements.set(text, prepared)
    }
    return prepared
  }
}

/** The driver's own rows are dictionaries, which take longer to make and to read than an object of one shape. */
const rowOf = (prepared: Prepared, values: readonly unknown[]): Record<string, unknown> => {
  prepared.names ??= prepared.statement.columns().map(({ name }) => name)
  const { names } = prepared
  const row: Record<string, unknown> = {}
  for (let at = 0; at < names.length; at++) row[names[at]!] = values[at]
  return row
}

const statementsOn = (
  connection: Connection,
  observe: StatementObserver,
  beforeEach: () => void = () => {},
): Omit<Sql, 'transaction' | 'announce'> => {
  const prepare = preparedStatements(connection)
  const timed = <T>(text: string, execute: (prepared: Prepared) => T): T => {
    const startedAt = performance.now()
    try {
      beforeEach()
      return execute(prepare(text))
    } catch (error) {
      throw storageError(error)
    } finally {
      observe(text, performance.now() - startedAt)
    }
  }
  const run = (text: string, params: readonly Value[] = []) =>
    timed(text, ({ statement }) => statement.run(...params).changes)
  return {
    dialect: sqliteDialect,
    get: <R>(text: string, params: readonly Value[] = []) =>
      timed(text, (prepared) => {
        const values = prepared.statement.get(...params) as unknown[] | undefined
        return values && (rowOf(prepared, values) as R)
      }),
    all: <R>(text: string, params: readonly Value[] = []) =>
      timed(text, (prepared) => {
        const rows = prepared.statement.all(...params) as unknown as unknown[][]
        return rows.map((values) => rowOf(prepared, values) as R)
      }),
    run,
    runAll: (statements) => statements.map(({ text, params }) => run(text, params)),
  }
}

const open = (path: string, readOnly: boolean): Connection => {
  const connection = new DatabaseSync(path, { readOnly, timeout: busyTimeoutMs, enableForeignKeyConstraints: true })
  // The system caches the file too, at no cost to the service's memory.
  connection.exec(`pragma cache_size = -${readOnly ? 8_000 : 4_000}; pragma temp_store = memory`)
  return connection
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
    // A grave error has ended it already.
    if (connection.isTransaction) commit.run()
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
 * One connection writes and another reads, so that a reader sees committed data only. Transactions that arrive
 * together share one commit and with it one fsync.
 */
export const openSqlite = (path: string, { observe = () => {}, isOnlyWriter = false }: OpenOptions = {}): Db => {
  const writer = open(path, false)
  writer.exec('pragma journal_mode = wal; pragma synchronous = full; pragma journal_size_limit = 67108864')
  // Pages that many writes touch are copied to the database once in these many, and not once in SQLite's usual 1,000.
  writer.exec('pragma wal_autocheckpoint = 8000')
  const reader = open(path, true)
  const snapshot = createSnapshot(reader)
  const onWriter = statementsOn(writer, observe)
  const groupCommit = createGroupCommit(writer, onWriter, snapshot.end)
  const news = createSqliteNews(writer)
  const transaction = async <T>(work: (tx: Sql) => Promise<T>): Promise<T> => {
    const topics = new Set<string>()
    const tx: Sql = { ...onWriter, transaction: (inner) => inner(tx), announce: (topic) => topics.add(topic) }
    const result = await groupCommit.add(() => work(tx))
    if (topics.size > 0) news.publish(topics)
    return result
  }
  const { get, all, dialect } = statementsOn(reader, observe, isOnlyWriter ? snapshot.open : undefined)
  return {
    dialect,
    get,
    all,
    run: (text, params) => groupCommit.add(async () => onWriter.run(text, params)),
    runAll: (statements) => groupCommit.add(async () => onWriter.runAll(statements)),
    transaction,
    patiently: transaction,
    announce: (topic) => news.publish([topic]),
    listen: news.listen,
    ping: async () => void get('select 1'),
    close: async () => {
      await groupCommit.drained()
      news.close()
      snapshot.end()
      reader.close()
      writer.close()
    },
  }
}
