import { operation } from '../../operations/operation.js'
import { listOf, records } from '../../operations/result.js'
import { AuditEntry, AuditList } from './schema.js'
import { listAudit as list } from './service.js'

export const listAudit = operation({
  name: 'listAudit',
  summary: 'List refusals and the actions on keys, webhooks, plans and the store, newest first',
  subject: 'Audit',
  kind: 'read',
  scope: 'admin',
  input: AuditList,
  output: listOf(AuditEntry),
  run: async (call, input) => records(input, await list(call.db, call.actor.tenantId, input)),
})
