import type { Person } from '../base/person.js'
import type { Sql, Value } from './port.js'

type Texts = Record<string, string | null>
export type RowKey = readonly Value[]

/** Rows with JSON texts that may name a person. */
export interface ErasedTexts {
  table: string
  /** The columns of the primary key after `tenant_id`. */
  key: readonly string[]
  /** Sorts before every key. */
  start: RowKey
  texts: readonly string[]
  rowsPerStep: number
  /** Returns the texts without the person. By default, each text is redacted separately. */
  redacted?(texts: Texts, person: Person): Texts
  /** The text whose length counts in the tenant's stored bytes. */
  counted?: string
}

/** Returns the key of the last of the next `count` rows, or undefined if there are none. */
export const endOfStep = async (
  db: Sql,
  { table, key }: Pick<ErasedTexts, 'table' | 'key'>,
  tenantId: string,
  after: RowKey,
  count: number,
): Promise<RowKey | undefined> => {
  const columns = key.join(', ')
  const rows = await db.all<Record<string, Value>>(
    `select ${columns} from ${table} where tenant_id = ? and (${columns}) > (${after.map(() => '?').join(', ')})
     order by ${columns} limit cast(? as bigint)`,
    [tenantId, ...after, count],
  )
  const last = rows.at(-1)
  return last && key.map((column) => last[column]!)
}

export interface Mention {
  key: RowKey
  texts: Texts
}

/** Lists the rows with keys in (after, upTo] whose texts contain the ID of a person. */
export const listMentions = async (
  db: Sql,
  { table, key, texts }: ErasedTexts,
  tenantId: string,
  { id }: Person,
  [after, upTo]: readonly [after: RowKey, upTo: RowKey],
): Promise<Mention[]> => {
  const columns = key.join(', ')
  const given = key.map(() => '?').join(', ')
  const rows = await db.all<Record<string, Value>>(
    `select ${[...key, ...texts].join(', ')} from ${table}
     where tenant_id = ? and (${columns}) > (${given}) and (${columns}) <= (${given})
       and (${texts.map((text) => `${text} like ?`).join(' or ')})`,
    [tenantId, ...after, ...upTo, ...texts.map(() => `%${id}%`)],
  )
  return rows.map((row) => ({
    key: key.map((column) => row[column]!),
    texts: Object.fromEntries(texts.map((text) => [text, row[text] as string | null])),
  }))
}

export const setTexts = async (
  db: Sql,
  { table, key, texts: columns }: ErasedTexts,
  tenantId: string,
  { key: values, texts }: Mention,
): Promise<void> => {
  await db.run(
    `update ${table} set ${columns.map((column) => `${column} = ?`).join(', ')}
     where tenant_id = ? and ${key.map((column) => `${column} = ?`).join(' and ')}`,
    [...columns.map((column) => texts[column]!), tenantId, ...values],
  )
}
