import { parseArgs } from 'node:util'
import { systemClock } from '../clock.js'
import { createTenant, deleteTenant, listTenants, setPlan } from '../tenants/service.js'
import { checkPlan, commandOf, expectWords, withRecords } from './command.js'

const help = `Usage:
  worklore tenants create NAME [--plan PLAN]   A new tenant; prints it with its first admin key
  worklore tenants list
  worklore tenants set-plan TENANT PLAN        Takes effect within 5 seconds; counts go on
  worklore tenants delete TENANT --yes         With everything that belongs to it

TENANT is an id or a name. Works on the store of the environment while the service runs.`

const actions: Record<string, (words: string[]) => Promise<unknown>> = {
  create: async (words) => {
    const { values, positionals } = parseArgs({
      args: words,
      allowPositionals: true,
      options: { plan: { type: 'string', default: 'free' } },
    })
    const [name] = expectWords(positionals, help, 'NAME') as [string]
    if (name.trim() === '' || name.startsWith('ten_')) throw new Error('A tenant needs a name that is no id.')
    const plan = checkPlan(values.plan)
    const { tenant, key } = await withRecords((db) => createTenant(db, systemClock, { name, plan }))
    return { tenant, key: { ...key.apiKey, key: key.secret } }
  },
  list: async (words) => {
    expectWords(words, help)
    return withRecords(listTenants)
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
    if (!values.yes)
      throw new Error(`This deletes tenant "${ref}" with everything that belongs to it. Add --yes to do it.`)
    const { id } = await withRecords((db) => deleteTenant(db, ref))
    return { id, deleted: true }
  },
}

export const tenantsCommand = commandOf('Create, list, change and delete tenants', help, actions)
