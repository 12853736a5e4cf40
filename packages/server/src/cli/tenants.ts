import { parseArgs } from 'node:util'
import { systemClock } from '../base/clock.js'
import { createTenant, deleteTenant, listDeletingTenants, listTenants, setPlan } from '../tenancy/tenants/service.js'
import { checkPlan, expectWords, type RunCommand, runAction, withRecords } from './command.js'
import { help as helpOf } from './help.js'

const help = helpOf.tenants

const actions: Record<string, (words: string[]) => Promise<unknown>> = {
  create: async (words) => {
    const { values, positionals } = parseArgs({
      args: words,
      allowPositionals: true,
      options: { plan: { type: 'string', default: 'free' } },
    })
    const [name] = expectWords(positionals, help, 'NAME') as [string]
    if (name.trim() === '' || name.startsWith('ten_'))
      throw new Error('Tenant names must not be empty or start with "ten_".')
    const plan = checkPlan(values.plan)
    const { tenant, key } = await withRecords((db) => createTenant(db, systemClock, { name, plan }))
    return { tenant, key: { ...key.apiKey, key: key.secret } }
  },
  list: async (words) => {
    expectWords(words, help)
    return withRecords(async (db) => [
      ...(await listTenants(db)),
      ...(await listDeletingTenants(db)).map((tenant) => ({ ...tenant, deleting: true })),
    ])
  },
  'set-plan': async (words) => {
    const [ref, plan] = expectWords(words, help, 'TENANT', 'PLAN') as [string, string]
    checkPlan(plan)
    return withRecords((db) => setPlan(db, ref, plan))
  },
  delete: async (words) => {
    const { values, positionals } = parseArgs({
      args: words,
      allowPositionals: true,
      options: { yes: { type: 'boolean', default: false } },
    })
    const [ref] = expectWords(positionals, help, 'TENANT') as [string]
    if (!values.yes) throw new Error(`This deletes tenant "${ref}" and all its data. Add --yes to confirm.`)
    const { id } = await withRecords((db) => deleteTenant(db, ref))
    return { id, deleted: true }
  },
}

export const run: RunCommand = runAction(help, actions)
