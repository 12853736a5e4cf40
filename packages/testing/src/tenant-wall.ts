import { postgresDialect, sqliteDialect } from 'worklore/dist/src/db/dialect.js'
import { migrations } from 'worklore/dist/src/db/migrations/index.js'
import type { StatementObserver } from 'worklore/dist/src/db/port.js'
import { sharedTables } from 'worklore/dist/src/db/shared-tables.js'

/** Statements that may look across tenants, each with its reason. */
const exceptions: readonly { reason: string; pattern: RegExp }[] = [
  {
    reason: 'the delivery dispatcher leases the webhooks of all tenants',
    pattern: /update webhooks set (leased_by = [^,]+, )?leased_until = /,
  },
  {
    reason: 'the embedder works off what waits of all tenants',
    pattern: /\b(embedding_queue|embedding_positions)\b[^;]*\bwhere model = \?/s,
  },
  {
    reason: 'the service ends claims and wakes tasks of all tenants, each in a transaction of its own',
    pattern: /^select distinct tenant_id from \(/,
  },
  {
    reason: 'a rotation of the secret key waits for those who just encrypt with the old one, of whichever tenant',
    pattern: /^select current_key_id, retiring_key_id from secret_keys where id = 1 for (update|key share)$/,
  },
  {
    reason: 'the service goes on with the deletions of all tenants, each in a transaction of its own',
    pattern: /^select tenant_id, kind, id, record from deletions order by created_at limit cast\(\? as bigint\)$/,
  },
  {
    reason: 'the service goes on with the erasures of all tenants, each in a transaction of its own',
    pattern: /^select tenant_id, user_id, requested_by, progress from erasures where progress is not null/,
  },
  {
    reason: 'the service goes on with what it restores and purges of all tenants, each in a transaction of its own',
    pattern: /^select tenant_id as "tenantId", id from trash where state = \?/,
  },
  { reason: 'workers and the operator list the tenants', pattern: /^select [\w, ]+ from tenants( order by .*)?$/s },
]

/** They bring the rows of all tenants into a new form. */
const migrationStatements = new Set(
  migrations.flatMap(({ statements }) => [...statements(sqliteDialect), ...statements(postgresDialect)]),
)

/** The tables that hold rows of tenants. */
export const tenantTables: ReadonlySet<string> = new Set(
  [...migrationStatements]
    .flatMap((statement) => /^\s*create table (\w+)[\s\S]*\btenant_id\b/.exec(statement)?.[1] ?? [])
    .filter((table) => !sharedTables.has(table)),
)

const keywords =
  /^(where|set|on|values|order|group|limit|join|left|inner|cross|using|select|returning|do|as|union|for)$/i
const reference = /\b(?:from|join|into|update)\s+(\w+)(?:\s+(?:as\s+)?(\w+))?/gi

/** Whether each mention of a tenant's table is held to a tenant: by its alias, or by the bare column where it has none. */
const isHeld = (text: string): boolean => {
  for (const [, table, word] of text.matchAll(reference)) {
    if (!tenantTables.has(table!.toLowerCase())) continue
    const alias = word === undefined || keywords.test(word) ? undefined : word
    const column = alias === undefined ? /(?<!\.)\btenant_id\b/ : new RegExp(`\\b${alias}\\.tenant_id\\b`)
    if (!column.test(text)) return false
  }
  return true
}

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

const isOneTenant = /\btenant_id = (\?|cast\(\? as text\))/

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

const isOfSchema = (text: string): boolean =>
  migrationStatements.has(text) || /^\s*(create|alter|drop|pragma)\b/i.test(text)

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
      if (!group && changesLists(text) && !isOfSchema(text)) ungrouped.add(text)
      if (seen.has(text)) return
      seen.add(text)
      if (
        isOfSchema(text) ||
        (isHeld(text) && locksOrWritesOneTenant(text)) ||
        exceptions.some(({ pattern }) => pattern.test(text.trim()))
      )
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
        `These statements touch a tenant's table without its tenant_id, or lock or write rows of several tenants:\n${[...breaches].join('\n---\n')}`,
      )
    },
  }
}
