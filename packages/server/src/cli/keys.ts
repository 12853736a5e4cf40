import { parseArgs } from 'node:util'
import { type Scope, scopes } from '../actor.js'
import type { Call } from '../call.js'
import { systemClock } from '../clock.js'
import type { ApiKey } from '../keys/schema.js'
import { createKey, listKeys, revokeKey } from '../keys/service.js'
import { operatorCall, tenantNamed } from '../tenants/service.js'
import { commandOf, expectWords, withRecords } from './command.js'

const help = `Usage:
  worklore keys create TENANT NAME [--scope SCOPE]... [--project PROJECT]... [--user USER] [--expires TIME]
  worklore keys list TENANT
  worklore keys revoke TENANT KEY_ID           Takes effect within 5 seconds

SCOPE is one of ${scopes.join(', ')}; without any, admin. TENANT is an id or a name.`

const forTenant = <T>(ref: string, work: (call: Call) => Promise<T>): Promise<T> =>
  withRecords(async (db) => work(operatorCall(db, systemClock, (await tenantNamed(db, ref)).id)))

const scopeNamed = (name: string): Scope => {
  const scope = scopes.find((known) => known === name)
  if (!scope) throw new Error(`There is no scope "${name}". Known are ${scopes.join(', ')}.`)
  return scope
}

const allKeys = async (call: Call): Promise<ApiKey[]> => {
  const keys: ApiKey[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await listKeys(call, { limit: 100, ...(cursor && { cursor }) })
    keys.push(...page.items)
    cursor = page.nextCursor
  }
  return keys
}

const actions: Record<string, (words: string[]) => Promise<unknown>> = {
  create: async (words) => {
    const { values, positionals } = parseArgs({
      args: words,
      allowPositionals: true,
      options: {
        scope: { type: 'string', multiple: true, default: ['admin'] },
        project: { type: 'string', multiple: true },
        user: { type: 'string' },
        expires: { type: 'string' },
      },
    })
    const [tenant, name] = expectWords(positionals, help, 'TENANT', 'NAME') as [string, string]
    if (values.expires !== undefined && Number.isNaN(Date.parse(values.expires)))
      throw new Error('--expires must be a time.')
    const { apiKey, secret } = await forTenant(tenant, (call) =>
      createKey(call, {
        name,
        scopes: values.scope.map(scopeNamed),
        projectIds: values.project ?? null,
        userId: values.user ?? null,
        expiresAt: values.expires ?? null,
      }),
    )
    return { ...apiKey, key: secret }
  },
  list: async (words) => {
    const [tenant] = expectWords(words, help, 'TENANT') as [string]
    return forTenant(tenant, allKeys)
  },
  revoke: async (words) => {
    const [tenant, id] = expectWords(words, help, 'TENANT', 'KEY_ID') as [string, string]
    await forTenant(tenant, (call) => revokeKey(call, id))
    return { id, deleted: true }
  },
}

export const keysCommand = commandOf('Create, list and revoke the API keys of a tenant', help, actions)
