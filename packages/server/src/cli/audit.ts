import { parseArgs } from 'node:util'
import type { AuditEntry, AuditList } from '../changelog/audit/schema.js'
import { listAudit, noTenant } from '../changelog/audit/service.js'
import type { Db } from '../db/port.js'
import { tenantNamed } from '../tenancy/tenants/service.js'
import { expectWords, printJson, type RunCommand, withRecords } from './command.js'
import { help } from './help.js'

const pageSize = 100

const newest = async (db: Db, tenantId: string, filter: AuditList, count: number): Promise<AuditEntry[]> => {
  const entries: AuditEntry[] = []
  for (let cursor: string | null | undefined; cursor !== null && entries.length < count; ) {
    const page = await listAudit(db, tenantId, { ...filter, limit: pageSize, ...(cursor && { cursor }) })
    entries.push(...page.items)
    cursor = page.nextCursor
  }
  return entries.slice(0, count)
}

export const run: RunCommand = async (words) => {
  const { values, positionals } = parseArgs({
    args: words,
    allowPositionals: true,
    options: {
      tenant: { type: 'string' },
      action: { type: 'string' },
      key: { type: 'string' },
      since: { type: 'string' },
      until: { type: 'string' },
      limit: { type: 'string', default: '100' },
    },
  })
  expectWords(positionals, help.audit)
  if (!/^[1-9]\d{0,5}$/.test(values.limit)) throw new Error('--limit must be a number from 1 to 999999.')
  const { tenant, action, key: keyId, since, until } = values
  const filter: AuditList = {
    ...(action !== undefined && { action }),
    ...(keyId !== undefined && { keyId }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  }
  const entries = await withRecords(async (db) => {
    const tenantId = tenant === undefined ? noTenant : (await tenantNamed(db, tenant)).id
    return newest(db, tenantId, filter, Number(values.limit))
  })
  printJson(entries)
  return 0
}
