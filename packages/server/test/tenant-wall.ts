import { sqliteDialect } from '../src/db/dialect.js'
import { migrations } from '../src/db/migrations/index.js'

/** Statements that may look across tenants, each with its reason. */
const exceptions: readonly { reason: string; pattern: RegExp }[] = [
  {
    reason: 'a key is found by its hash, which tells the tenant',
    pattern: /from key_secrets s\s.*where s\.hash = \?$/s,
  },
  {
    reason: 'the deliverer leases the webhooks of all tenants',
    pattern: /update webhooks set (leased_by = [^,]+, )?leased_until = /,
  },
  {
    reason: 'the embedder works off what waits of all tenants',
    pattern: /\b(embedding_queue|embedding_positions)\b[^;]*\bwhere model = \?/s,
  },
  { reason: 'workers and the operator list the tenants', pattern: /^select [\w, ]+ from tenants( order by .*)?$/s },
  { reason: 'the operator names a tenant by its name', pattern: /^select [\w, ]+ from tenants where name = \?$/ },
]

const tenantTables = new Set(
  migrations
    .flatMap(({ statements }) => statements(sqliteDialect))
    .flatMap((statement) => /^\s*create table (\w+)[\s\S]*\btenant_id\b/.exec(statement)?.[1] ?? []),
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

const isOfSchema = (text: string): boolean => /^\s*(create|alter|drop|pragma)\b/i.test(text)

export interface TenantWall {
  observe(text: string): void
  /** Throws where a statement looked across tenants. */
  check(): void
}

/** The second wall between tenants: every statement that runs in a test is looked at. */
export const createTenantWall = (): TenantWall => {
  const seen = new Set<string>()
  const breaches = new Set<string>()
  return {
    observe: (text) => {
      if (seen.has(text)) return
      seen.add(text)
      if (isOfSchema(text) || isHeld(text) || exceptions.some(({ pattern }) => pattern.test(text.trim()))) return
      breaches.add(text)
    },
    check: () => {
      if (breaches.size === 0) return
      throw new Error(
        `These statements touch a tenant's table without its tenant_id:\n${[...breaches].join('\n---\n')}`,
      )
    },
  }
}
