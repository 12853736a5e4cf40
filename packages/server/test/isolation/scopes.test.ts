import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { createKey } from 'worklore-testing/factories'
import { exampleOf, fillPath, type Operation, readOperations } from 'worklore-testing/operations'
import { describeTenant } from 'worklore-testing/service-suite'
import { type Scope, scopes } from '../../src/operations/actor.js'

const included: Record<Scope, readonly Scope[]> = {
  'tasks:read': ['tasks:read'],
  'tasks:write': ['tasks:write', 'tasks:read'],
  'knowledge:read': ['knowledge:read'],
  'knowledge:write': ['knowledge:write', 'knowledge:read'],
  admin: scopes,
}

/** What the contract says of the paths it knows; of others the document is believed. */
const agreed = ({ method, template, isOpen }: Operation): Scope | 'any' | undefined => {
  if (isOpen) return 'any'
  if (template.startsWith('/v1/projects/{projectId}/members')) return 'admin'
  const kind = /^\/v1\/(tasks|knowledge)\b/.exec(template)?.[1]
  if (kind) return `${kind}:${method === 'GET' ? 'read' : 'write'}` as Scope
  if (/^\/v1\/(projects|users|me)\b/.test(template)) return method === 'GET' ? 'any' : 'admin'
  if (/^\/v1\/(keys|webhooks)\b/.test(template)) return 'admin'
  return undefined
}

describeTenant('scopes', (wl) => {
  let operations: Operation[]
  const secrets = {} as Record<Scope, string>

  before(async () => {
    operations = await readOperations(wl)
    for (const scope of scopes) secrets[scope] = (await createKey(wl, { scopes: [scope] })).key
  })

  it('are documented as agreed', () => {
    for (const operation of operations) {
      const scope = agreed(operation)
      if (scope !== undefined) assert.equal(operation.scope ?? 'any', scope, operation.id)
    }
  })

  it('are asked for at every operation', async () => {
    for (const operation of operations) {
      const { method, template, scope, body } = operation
      const path = fillPath(template, () => 'no-such-record')
      for (const held of scopes) {
        // Whoever may would change the records that other rounds need, so an admin only looks.
        if (held === 'admin' && method !== 'GET') continue
        const payload = body && { body: exampleOf(body, { projectId: 'NONE' }) }
        const answer = await wl.request(method, path, { key: secrets[held], ...payload })
        const isEnough = scope === undefined || included[held].includes(scope)
        assert.equal(answer.status === 403, !isEnough, `${operation.id} with ${held}: ${answer.text}`)
        if (!isEnough) assert.equal(answer.body.error.requiredScope, scope)
        assert.notEqual(answer.status, 401)
      }
    }
  })

  it('are asked for everywhere but where a leaked key is ended', () => {
    const open = operations.filter(({ isOpen }) => isOpen)
    assert.deepEqual(
      open.map(({ id }) => id),
      ['revokeSecret'],
    )
  })

  it('are asked for before anything else is looked at, with no key at all', async () => {
    for (const { method, template } of operations.filter(({ isOpen }) => !isOpen).slice(0, 25)) {
      const answer = await wl.request(
        method,
        fillPath(template, () => 'x'),
        { key: null, rawBody: '{' },
      )
      assert.ok(answer.status === 401 || answer.status === 429, `${method} ${template}: ${answer.text}`)
    }
  })
})
