import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { expectError } from 'worklore-testing/expect'
import type { Answer } from 'worklore-testing/harness'
import { runCommand } from 'worklore-testing/program'
import { describeService } from 'worklore-testing/service-suite'

describeService("a tenant's requests at once", (wl) => {
  /** Takes all that the tenant may have at work, until it is told to let go. */
  const occupy = async (): Promise<() => void> => {
    const { tenant } = (await wl.get('/v1/me')).body.data
    const { workSlots, plans } = wl.service.core
    const share = plans.get('self-hosted')!.concurrentRequests
    let letGo!: () => void
    const held = new Promise<void>((resolve) => {
      letGo = resolve
    })
    for (let at = 0; at < share; at++) workSlots.run(tenant.id, share, () => held)
    return letGo
  }

  it('wait their turn beyond its share, and are served when it comes', async () => {
    const letGo = await occupy()
    const answers: Answer[] = []
    const asked = [wl.get('/v1/tasks'), wl.post('/v1/projects', { key: 'ACME', name: 'Acme' })]
    for (const request of asked) void request.then((answer) => answers.push(answer))
    await sleep(300)
    assert.deepEqual(answers, [])
    letGo()
    assert.deepEqual(
      (await Promise.all(asked)).map(({ status }) => status),
      [200, 201],
    )
  })

  it('are refused after five seconds; other tenants and calls that wait are not concerned', async () => {
    const other = JSON.parse(await runCommand(wl.store, 'tenants', 'create', 'Other', '--plan', 'self-hosted')).key.key
    const letGo = await occupy()
    const startedAt = performance.now()
    const refused = wl.get('/v1/tasks')
    assert.equal((await wl.get('/v1/tasks', { key: other })).status, 200)
    assert.equal((await wl.get('/v1/events?after=latest&wait=1')).status, 200)
    const answer = await refused
    expectError(answer, 'SERVICE_UNAVAILABLE')
    assert.match(answer.headers['retry-after'] as string, /^[1-9]\d*$/)
    assert.ok(performance.now() - startedAt >= 5_000)
    letGo()
    assert.equal((await wl.get('/v1/tasks')).status, 200)
  })
})
