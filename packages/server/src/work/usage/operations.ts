import { operation } from '../../operations/operation.js'
import { data, dataOf } from '../../operations/result.js'
import { Usage, UsageQuery } from './schema.js'
import { readUsage } from './service.js'

export const getUsage = operation({
  name: 'getUsage',
  summary: 'Count requests, refusals and how claims ended, by key, project or time',
  subject: 'Usage',
  kind: 'read',
  scope: 'admin',
  input: UsageQuery,
  output: dataOf(Usage),
  errors: ['NOT_FOUND'],
  run: async (call, query) => data(await readUsage(call, query)),
})
