import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { expectInvalid } from 'worklore-testing/expect'
import { exampleOf, type Operation, readOperations, requiredHeaders } from 'worklore-testing/operations'
import { describeTenant } from 'worklore-testing/service-suite'
import { attemptsWith, fillTenant, type Side } from './two-tenants.js'

const forbidden: Record<string, unknown> = {
  tenantId: 'ten_other',
  tenant_id: 'ten_other',
  id: 'ACME-999',
  plan: 'self-hosted',
  createdAt: '2020-01-01T00:00:00.000Z',
  updatedAt: '2020-01-01T00:00:00.000Z',
  createdBy: { keyId: 'key_other', keyName: 'other', userId: null },
  version: 99,
  lastUsedAt: null,
  isAdmin: true,
}

describeTenant('fields that no one may set', (wl) => {
  let operations: Operation[]
  let own: Side

  before(async () => {
    operations = await readOperations(wl)
    own = await fillTenant(wl, operations, wl.adminKey, 'ALPHA')
  })

  it('are refused by name in the body of every operation', async () => {
    for (const operation of operations.filter(({ body }) => body !== undefined)) {
      const [attempt] = attemptsWith({ ...operation, parameters: [] }, own, (name) => own.ids[name]!)
      const path = attempt?.what.includes('{') ? attempt.path : operation.template
      const valid = exampleOf(operation.body!, { ...own.ids, key: 'NEW', name: 'new' }) as Record<string, unknown>
      for (const [name, value] of Object.entries(forbidden)) {
        if (name in operation.body!.properties!) continue
        const headers = requiredHeaders(operation, own.ids.taskId!)
        expectInvalid(await wl.request(operation.method, path, { headers, body: { ...valid, [name]: value } }), name)
      }
    }
  })

  it('are refused by name in every query', async () => {
    for (const { template } of operations.filter(
      ({ method, template }) => method === 'GET' && !template.includes('{'),
    )) {
      for (const name of ['tenantId', 'tenant_id', 'plan']) {
        const answer = await wl.get(`${template}?q=x&${name}=ten_other`)
        assert.equal(answer.status, 400, answer.text)
        assert.match(answer.text, new RegExp(name))
      }
    }
  })
})
