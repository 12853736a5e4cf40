import { parseArgs } from 'node:util'
import { hooks } from '../app.js'
import { isoTime, systemClock } from '../base/clock.js'
import { parseMoment } from '../base/dates.js'
import { AppError } from '../base/errors.js'
import { type Scope, scopes } from '../operations/actor.js'
import type { Call } from '../operations/call.js'
import { operatorCall } from '../operations/call.js'
import type { ApiKey } from '../tenancy/keys/schema.js'
import { createKey, listKeys, revokeKey } from '../tenancy/keys/service.js'
import { tenantNamed } from '../tenancy/tenants/service.js'
import { expectWords, type RunCommand, runAction, withRecords } from './command.js'
import { help as helpOf } from './help.js'

const help = helpOf.keys

const forTenant = <T>(ref: string, work: (call: Call) => Promise<T>): Promise<T> =>
  withRecords(async (db) => work(operatorCall(db, systemClock, (await tenantNamed(db, ref)).id)))

const scopeNamed = (name: string): Scope => {
  const scope = scopes.find((known) => known === name)
  if (!scope) throw new Error(`Unknown scope "${name}". Must be one of ${scopes.join(', ')}.`)
  return scope
}

const futureTime = (text: string): string => {
  const moment = parseMoment(text)
  if (!moment) throw new Error('--expires must be a timestamp with a time zone, such as 2030-01-31T09:00:00Z.')
  if (moment.ms <= systemClock()) throw new Error('--expires must be in the future.')
  return isoTime(moment.ms)
}

const optionOfField: Record<string, string> = {
  name: 'NAME',
  scopes: '--scope',
  projectIds: '--project',
  userId: '--user',
  expiresAt: '--expires',
}

/** Names the fields of a refused key as the command's options. */
const byOption = (error: unknown): never => {
  const details = error instanceof AppError ? error.params.details : undefined
  if (!details) throw error
  const lines = details.map(({ path, message }) => {
    const field = path.split('.', 1)[0]!
    return `${optionOfField[field] ?? field}: ${message}`
  })
  throw new Error(`Invalid key.\n${lines.join('\n')}`)
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
        scope: { type: 'string', multiple: true, default: [] },
        project: { type: 'string', multiple: true },
        user: { type: 'string' },
        expires: { type: 'string' },
      },
    })
    const [tenant, name] = expectWords(positionals, help, 'TENANT', 'NAME') as [string, string]
    if (values.scope.length === 0)
      throw new Error(`--scope is required: one or more of ${scopes.join(', ')}. "admin" includes all others.`)
    const expiresAt = values.expires === undefined ? null : futureTime(values.expires)
    const { apiKey, secret } = await forTenant(tenant, (call) =>
      createKey(call, {
        name,
        scopes: values.scope.map(scopeNamed),
        projectIds: values.project ?? null,
        userId: values.user ?? null,
        expiresAt,
      }).catch(byOption),
    )
    return { ...apiKey, key: secret }
  },
  list: async (words) => {
    const [tenant] = expectWords(words, help, 'TENANT') as [string]
    return forTenant(tenant, allKeys)
  },
  revoke: async (words) => {
    const [tenant, id] = expectWords(words, help, 'TENANT', 'KEY_ID') as [string, string]
    await forTenant(tenant, (call) => revokeKey(call, hooks, id))
    return { id, deleted: true }
  },
}

export const run: RunCommand = runAction(help, actions)
