import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import type { Answer } from 'worklore-testing/harness'
import { type Operation, readOperations } from 'worklore-testing/operations'
import { describeTenant } from 'worklore-testing/service-suite'
import { type Attempt, attemptsWith, fillTwoTenants, missingLike, type Side } from './two-tenants.js'

describeTenant('isolation of tenants', (wl) => {
  let operations: Operation[]
  let own: Side
  let other: Side

  before(async () => {
    operations = await readOperations(wl)
    ;({ own, other } = await fillTwoTenants(wl, operations))
  })

  const send = ({ method, path, body }: Attempt): Promise<Answer> =>
    wl.request(method, path, { key: own.secret, ...(body !== undefined && { body }) })

  /** What is left of an answer once ids and times are taken out. */
  const formOf = ({ status, headers, text }: Answer, ids: readonly string[]) => {
    let body = text
    for (const id of ids) body = body.replaceAll(id, '<id>').replaceAll(encodeURIComponent(id), '<id>')
    body = body
      .replaceAll(/"requestId":"[^"]*"/g, '"requestId":"…"')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
      .replaceAll(/\b[a-z]{2,4}_\w+/g, '<id>')
      .replaceAll(/"(version|number|retryAfter)":\d+/g, '"$1":0')
      .replaceAll(/ALPHA-\d+/g, '<task>')
    const names = Object.keys(headers).filter((name) => !/^(date|content-length)$/.test(name))
    return {
      status,
      names: names.sort(),
      body: body.replace(/wl_live_\w+/g, '<secret>').replace(/"prefix":"[^"]*"/g, ''),
    }
  }

  it('shows nothing of another tenant in any list', async () => {
    const strange = [...Object.values(other.ids), 'BETA']
    for (const operation of operations.filter(({ method, template }) => method === 'GET' && !template.includes('{'))) {
      const { text } = await wl.get(operation.template, { key: own.secret })
      for (const id of strange) assert.ok(!text.includes(id), `${operation.id} shows ${id}`)
    }
  })

  it('answers for a record of another tenant exactly as for a missing one, at every operation', async () => {
    let compared = 0
    for (const operation of operations) {
      const foreign = attemptsWith(operation, own, (name) => other.ids[name]!)
      const missing = attemptsWith(operation, own, (name) => missingLike(other.ids[name]!))
      for (const [at, attempt] of foreign.entries()) {
        const forForeign = formOf(await send(attempt), Object.values(other.ids))
        const forMissing = formOf(await send(missing[at]!), Object.values(other.ids).map(missingLike))
        assert.deepEqual(forForeign, forMissing, attempt.what)
        compared++
      }
    }
    assert.ok(compared >= 25, `${compared} ways were tried`)
  })

  it('names a project of another tenant by its key no better than by its id', async () => {
    for (const projectId of ['BETA', 'BETB']) {
      const answer = await wl.post('/v1/tasks', { projectId, title: 'x' }, { key: own.secret })
      assert.equal(answer.status, 400, answer.text)
    }
  })

  it('has changed nothing of the other tenant', async () => {
    for (const operation of operations.filter(({ method, template }) => method === 'GET' && template.endsWith('}'))) {
      const [attempt] = attemptsWith(operation, other, (name) => other.ids[name]!)
      const answer = await wl.get(attempt!.path, { key: other.secret })
      assert.equal(answer.status, 200, `${operation.id}: ${answer.text}`)
      assert.equal(answer.body.data.version ?? 1, 1)
    }
  })
})
