import type { Attributes } from '@opentelemetry/api'
import type { Db, Sql } from '../db/port.js'
import type { Tracing } from './tracing.js'

const tableIn = /\b(?:from|into|update)\s+([a-z_]+)/

/** The text of a statement has places for its values, not the values. */
const describe = (text: string): [name: string, attributes: () => Attributes] => {
  const operation = /^\s*(\w+)/.exec(text)?.[1]?.toUpperCase() ?? ''
  const table = tableIn.exec(text)?.[1]
  return [
    table === undefined ? operation : `${operation} ${table}`,
    () => ({
      'db.operation.name': operation,
      'db.query.text': text,
      ...(table !== undefined && { 'db.collection.name': table }),
    }),
  ]
}

/** A store whose statements and transactions are spans. */
export const traceStore = (db: Db, tracing: Tracing): Db => {
  const { systemName: system } = db.dialect
  const statementsOf = (sql: Sql) => {
    const inSpan = <T>(text: string, work: () => T): T => {
      const [name, attributes] = describe(text)
      return tracing.inSpan(name, () => ({ 'db.system.name': system, ...attributes() }), work as never) as T
    }
    const traced: Pick<Sql, 'get' | 'lookup' | 'all' | 'run' | 'runReturning' | 'runAll'> = {
      get: (text, params) => inSpan(text, () => sql.get(text, params)),
      lookup: (text, params, group) => inSpan(text, () => sql.lookup(text, params, group)),
      all: (text, params) => inSpan(text, () => sql.all(text, params)),
      run: (text, params) => inSpan(text, () => sql.run(text, params)),
      runReturning: (text, params) => inSpan(text, () => sql.runReturning(text, params)),
      runAll: (statements) =>
        tracing.inSpan(
          'BATCH',
          () => ({ 'db.system.name': system, 'db.operation.batch.size': statements.length }),
          () => sql.runAll(statements),
        ),
    }
    return traced
  }
  const inTransaction = (tx: Sql): Sql => {
    const traced: Sql = { ...tx, ...statementsOf(tx), transaction: (inner) => inner(traced) }
    return traced
  }
  const traceSql = <S extends Sql>(sql: S): S => ({
    ...sql,
    ...statementsOf(sql),
    transaction: async (work, group) =>
      tracing.inSpan(
        'TRANSACTION',
        () => ({ 'db.system.name': system }),
        // Transactions that share a commit are run by the first of them.
        () =>
          sql.transaction(
            tracing.bind((tx: Sql) => work(inTransaction(tx))),
            group,
          ),
      ),
  })
  return { ...traceSql(db), ofTenant: (tenantId) => traceSql(db.ofTenant(tenantId)) }
}
