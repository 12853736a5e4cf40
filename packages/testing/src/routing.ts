import postgres from 'postgres'
import { migrate } from 'worklore/dist/src/db/migrate.js'
import { openDb } from 'worklore/dist/src/db/open.js'
import { replaceParameters } from 'worklore/dist/src/db/parameters.js'
import { createCitusDatabase, dropCitusDatabase } from './citus.js'
import { exceptionFor, isOfSchema } from './tenant-wall.js'

const isExplained = (text: string): boolean =>
  /^\s*(select|with|insert|update|delete)\b/i.test(text) && !isOfSchema(text, undefined)

/** A value of a parameter's type; a plan is made with it, and nothing is run. */
const exampleOf = (type: string, isJson: boolean): string => {
  if (type.endsWith('[]')) return `'{1}'`
  if (type === 'text') return isJson ? `'[]'` : `'ten_1'`
  return type === 'bytea' ? `''` : '1'
}

const isJsonParameter = (text: string, number: number): boolean =>
  text.includes(`cast(cast($${number} as text) as json)`)

type Way = 'one shard' | 'no table' | 'several shards' | 'refused'

/** How Citus runs a statement, and its plan or error. */
const wayOf = async (sql: postgres.Sql, text: string): Promise<{ way: Way; detail: string }> => {
  const numbered = replaceParameters(text, (at) => `$${at + 1}`)
  try {
    await sql.unsafe(`prepare one as ${numbered}`)
    const [row] = await sql.unsafe(
      "select parameter_types::text[] as types from pg_prepared_statements where name = 'one'",
    )
    const types = String(row!.types).replaceAll(/[{}"]/g, '').split(',').filter(Boolean)
    const values = types.map((type, at) => exampleOf(type, isJsonParameter(numbered, at + 1)))
    const plan = await sql.unsafe(
      `explain (costs off) execute one${values.length > 0 ? ` (${values.join(', ')})` : ''}`,
    )
    const detail = plan.map((line) => line['QUERY PLAN'] as string).join('\n')
    const tasks = [...detail.matchAll(/Task Count: (\d+)/g)].map(([, count]) => Number(count))
    if (tasks.length === 0)
      return { way: /\b(Seq|Index|Bitmap)\b.* Scan/.test(detail) ? 'several shards' : 'no table', detail }
    const isOne = tasks.length === 1 && tasks[0] === 1 && !/Distributed Subplan|INSERT\/SELECT/i.test(detail)
    return { way: isOne ? 'one shard' : 'several shards', detail }
  } catch (error) {
    return { way: 'refused', detail: (error as Error).message }
  } finally {
    await sql.unsafe('deallocate all')
  }
}

/** Checks the plans of all statements that the tests ran. Returns false if an unlisted one goes to several shards. */
export const checkRouting = async (url: string, statements: readonly string[]): Promise<boolean> => {
  const name = 'routing'
  await createCitusDatabase(name)
  const address = new URL(url)
  address.pathname = `/${name}`
  const db = await openDb({ databaseUrl: address.href, dataDir: '', poolSize: 2 })
  await migrate(db)
  await db.close()
  const sql = postgres(address.href, { max: 1, onnotice: () => {}, fetch_types: false })
  const counts = new Map<string, number>()
  const wrong: string[] = []
  for (const text of statements.filter(isExplained)) {
    const { way, detail } = await wayOf(sql, text)
    const reason = exceptionFor(text)
    const isGood = way === 'one shard' || way === 'no table'
    const kind = isGood || reason === undefined ? way : `listed: ${reason}`
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
    if (!isGood && reason === undefined) wrong.push(`${text}\n=> ${way}: ${detail}`)
  }
  await sql.end()
  await dropCitusDatabase(name)
  console.log('Distinct statements, by where Citus sends them:')
  for (const [kind, count] of counts) console.log(`${String(count).padStart(6)}  ${kind}`)
  for (const each of wrong) console.log(`not to one shard: ${each}`)
  return wrong.length === 0
}
