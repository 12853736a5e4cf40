import { parseArgs } from 'node:util'
import { systemClock } from '../base/clock.js'
import { browserUrl } from '../base/listen-host.js'
import { readConfig } from '../config.js'
import type { Db } from '../db/port.js'
import { servedPortOf } from '../db/served-port.js'
import type { Call } from '../operations/call.js'
import { operatorCall } from '../operations/call.js'
import { findAdminKey } from '../tenancy/keys/service.js'
import { issueLink } from '../tenancy/keys/sessions/links.js'
import { listTenants, tenantNamed } from '../tenancy/tenants/service.js'
import { expectWords, type RunCommand, withRecords } from './command.js'
import { help } from './help.js'

const tenantIdOf = async (db: Db, ref: string | undefined): Promise<string> => {
  if (ref !== undefined) return (await tenantNamed(db, ref)).id
  const [only, ...others] = await listTenants(db)
  if (!only) throw new Error('There is no tenant yet. Create one with: worklore tenants create NAME')
  if (others.length > 0) throw new Error('There are several tenants. Choose one with --tenant TENANT.')
  return only.id
}

const adminKeyIdOf = async (call: Call): Promise<string> => {
  const key = await findAdminKey(call)
  if (!key) {
    throw new Error('The tenant has no admin key. Create one with: worklore keys create TENANT NAME --scope admin')
  }
  return key.id
}

export const run: RunCommand = async (words) => {
  const { values, positionals } = parseArgs({
    args: words,
    allowPositionals: true,
    options: { tenant: { type: 'string' }, key: { type: 'string' } },
  })
  expectWords(positionals, help.console)
  const config = readConfig(process.env)
  const { path } = await withRecords(async (db) => {
    const call = operatorCall(db, systemClock, await tenantIdOf(db, values.tenant))
    return issueLink(call, values.key ?? (await adminKeyIdOf(call)))
  })
  const servedPort = config.databaseUrl === undefined ? servedPortOf(config.dataDir) : undefined
  console.log(browserUrl(config, servedPort ?? config.port, path))
  return 0
}
