import { postgresDialect, sqliteDialect } from 'worklore/dist/src/db/dialect.js'
import { migrations } from 'worklore/dist/src/db/migrations/index.js'
import { everyGroup, type StatementObserver } from 'worklore/dist/src/db/port.js'
import { coordinatorTables, sharedTables } from 'worklore/dist/src/db/shared-tables.js'

/** Statements that may look across tenants, each with its reason. */
const exceptions: readonly { reason: string; pattern: RegExp }[] = [
  {
    reason: 'where one process works alone, it releases what the one before it had claimed to embed',
    pattern: /^update embedding_queue set claim = null, due_at = 0 where model = \? and claim is not null$/,
  },
  {
    reason: 'the operator reads how many texts wait to be embedded',
    pattern: /^select count\(\*\) as count from embedding_queue where model = \?$/,
  },
  {
    reason: 'a rotation of the secret key waits for those who just encrypt with the old one, of whichever tenant',
    pattern: /^select current_key_id, retiring_key_id from secret_keys where id = 1 for (update|key share)$/,
  },
  {
    reason: 'the operator lists the tenants',
    pattern: /^select [\w, ]+ from tenants( where deleting_at is (not )?null)?( order by .*)?$/s,
  },
]

/** Why a statement may look across tenants. */
export const exceptionFor = (text: string): string | undefined =>
  exceptions.find(({ pattern }) => pattern.test(text.trim()))?.reason

/** They bring the rows of all tenants into a new form. */
const migrationStatements = new Set(
  migrations.flatMap(({ statements }) => [...statements(sqliteDialect), ...statements(postgresDialect)]),
)

/** The tables that hold rows of tenants. */
export const tenantTables: ReadonlySet<string> = new Set(
  [...migrationStatements]
    .flatMap((statement) => /^\s*create table (\w+)[\s\S]*\btenant_id\b/.exec(statement)?.[1] ?? [])
    .filter((table) => !sharedTables.has(table) && !coordinatorTables.has(table)),
)

const keywords =
  /^(where|set|on|values|order|group|limit|join|left|inner|cross|using|select|returning|do|as|union|for|offset|default)$/i
const reference = /\b(?<!\b(?:for|do|key)\s)(?:from|join|into|update)\s+(\w+)(?=(?:\s+(?:as\s+)?(\w+))?)/gi

/** A parameter: `:tenant` repeats the one of another table. */
const parameter = String.raw`(?:\?|:tenant\b|cast\(\? as text\))`

/** A statement in brackets; brackets around anything else belong to the statement that they are in. */
const nested = /^\s*(?:with|select|insert|update|delete)\b/i

/** The statements that a text consists of, each without those inside it. */
const statementsIn = (text: string): string[] => {
  const statements: string[] = []
  const open: { text: string; isNested: boolean }[] = [{ text: '', isNested: true }]
  const parts = text.split(/([()])/)
  for (const [at, part] of parts.entries()) {
    if (part === '(') open.push({ text: '', isNested: nested.test(parts[at + 1]!) })
    else if (part === ')' && open.length > 1) {
      const inner = open.pop()!
      if (inner.isNested) statements.push(inner.text)
      open.at(-1)!.text += inner.isNested ? '()' : `(${inner.text})`
    } else open.at(-1)!.text += part
  }
  statements.push(...open.map((each) => each.text))
  return statements.flatMap((each) => each.split(/\b(?:union(?: all)?|except|intersect)\b/i))
}

/**
 * Whether each mention of a tenant's table is held to a tenant by a parameter, not by its join to another: by its alias,
 * or by the bare column where it has none and is alone. The table that an insert writes is looked at apart.
 */
const isHeld = (text: string): boolean =>
  statementsIn(text.replaceAll(/'[^']*'/g, "''")).every((statement) => {
    const mentions = [...statement.matchAll(reference)].filter(
      ([whole, table]) => !/^into/i.test(whole) && tenantTables.has(table!.toLowerCase()),
    )
    return mentions.every(([, table, word]) => {
      const alias = word === undefined || keywords.test(word) ? undefined : word
      const bare = alias === undefined && mentions.length === 1 ? '(?<!\\.)\\b|' : ''
      return new RegExp(`(?:${bare}\\b${alias ?? table}\\.)tenant_id = ${parameter}`).test(statement)
    })
  })

const write = /^\s*(?:with [\s\S]*)?\b(?:insert into|update|delete from)\s+(\w+)/i
const rowLock = /\bfor (?:update|share|key share|no key update)\b/i
const insertion = /\binsert into (\w+)\s*\(([^)]*)\)\s*(values\s*\(|select\s)([\s\S]*)$/i

/** The expressions of a list, up to the bracket or word that ends it. */
const expressionsOf = (list: string): string[] => {
  const expressions = ['']
  let depth = 0
  for (const part of list.split(/([(),]|\bfrom\b)/i)) {
    if (part === '(') depth++
    if (part === ')' && depth-- === 0) break
    if (depth === 0 && /^from$/i.test(part)) break
    if (part === ',' && depth === 0) expressions.push('')
    else expressions[expressions.length - 1] += part
  }
  return expressions.map((expression) => expression.trim())
}

const isOneTenant = new RegExp(`\\btenant_id = ${parameter}`)

/** Whether whatever a statement locks or writes belongs to the one tenant that a parameter of it names. */
const locksOrWritesOneTenant = (text: string): boolean => {
  if (![...text.matchAll(reference)].some(([, name]) => tenantTables.has(name!.toLowerCase()))) return true
  const table = write.exec(text)?.[1]?.toLowerCase()
  if (!rowLock.test(text) && (table === undefined || !tenantTables.has(table))) return true
  const [, , columns, keyword, values] = insertion.exec(text) ?? []
  if (columns === undefined) return isOneTenant.test(text)
  const hasManyRows = /^values/i.test(keyword!) && /\)\s*,\s*\(/.test(values!.split(/\bon conflict\b/i, 1)[0]!)
  if (hasManyRows) return false
  const at = columns.split(',').findIndex((column) => column.trim() === 'tenant_id')
  const value = expressionsOf(values!)[at] ?? ''
  return /^(\?|cast\(\? as text\))$/.test(value) || isOneTenant.test(text)
}

export const isOfSchema = (text: string, group: string | undefined): boolean =>
  group === everyGroup || migrationStatements.has(text) || /^\s*(create|alter|drop|pragma)\b/i.test(text)

/** The tables that lists are read from: a list stands until a transaction of its tenant has committed. */
const listedTables = new Set([
  ...['tasks', 'task_labels', 'task_links', 'comments', 'questions', 'knowledge', 'projects', 'users', 'events'],
  ...['history', 'trash', 'inbox_entries'],
])

const changesLists = (text: string): boolean => listedTables.has(write.exec(text)?.[1]?.toLowerCase() ?? '')

interface TenantWall {
  observe: StatementObserver
  /** Throws where a statement looked across tenants, or wrote though it was run as a read. */
  check(): void
}

/** The second wall between tenants: every statement that runs in a test must name one tenant. */
export const createTenantWall = (): TenantWall => {
  const seen = new Set<string>()
  const breaches = new Set<string>()
  const ungrouped = new Set<string>()
  const writingReads = new Set<string>()
  return {
    observe: (text, _durationMs, group, access) => {
      if (access === 'read' && write.test(text)) writingReads.add(text)
      if (!group && changesLists(text) && !isOfSchema(text, group)) ungrouped.add(text)
      if (seen.has(text)) return
      seen.add(text)
      if (isOfSchema(text, group) || (isHeld(text) && locksOrWritesOneTenant(text)) || exceptionFor(text) !== undefined)
        return
      breaches.add(text)
    },
    check: () => {
      if (writingReads.size > 0) {
        throw new Error(`These statements write, but were run as reads:\n${[...writingReads].join('\n---\n')}`)
      }
      if (ungrouped.size > 0) {
        throw new Error(
          `These statements change what lists show, outside a transaction of their tenant:\n${[...ungrouped].join('\n---\n')}`,
        )
      }
      if (breaches.size === 0) return
      throw new Error(
        `These statements touch a tenant's table without its tenant_id as a parameter, or lock or write rows of several tenants:\n${[...breaches].join('\n---\n')}`,
      )
    },
  }
}
