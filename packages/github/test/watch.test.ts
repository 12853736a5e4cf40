import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createTask } from 'worklore-testing/factories'
import { describeClient } from 'worklore-testing/service-suite'
import { until } from 'worklore-testing/until'
import { bridgedFor } from './bridged.js'

describeClient('a watch of wl-github', (tenant) => {
  it('tries again what was refused in a round that failed', async (test) => {
    const bridged = await bridgedFor(test, tenant, 'FAILED')
    const { stub, wl, project, run, refusals } = bridged
    const { number } = stub.create({ title: 'One' })
    const other = stub.create({ title: 'Two' })
    await run()
    const [task] = (await wl.tasks.list({ externalId: `${stub.repo}#${number}` })).data
    await wl.tasks.update(task!.id, { checks: [{ text: 'It works' }] })
    await run()
    const stop = new AbortController()
    test.after(() => stop.abort())
    const notes: string[] = []
    const down = { status: 503, body: { message: 'Down' } }
    // The status is refused, a later change is taken over, and then GitHub is away.
    stub.edit(number, { state: 'closed', reason: 'completed' })
    stub.passTime(60_000)
    stub.edit(other.number, { title: 'Two, later' })
    await createTask(tenant, project.id, { title: 'Three' })
    stub.onRequest((method) => {
      if (method !== 'POST') return undefined
      stub.onRequest(() => (notes.join().includes('Down') ? undefined : down))
      return down
    })
    const note = (line: string): void => void notes.push(line)
    const ended = run({ watch: { signal: stop.signal, intervalMs: 200, note } })
    await until(
      async () => stub.issues.size,
      (count) => count === 3,
    )
    assert.match(notes.join(), /Down/)
    assert.ok(refusals.length > 0)
    const [check] = (await wl.tasks.get(task!.id)).checks
    await wl.tasks.decideCheck(task!.id, check!.id, { state: 'passed', evidence: 'Seen' })
    const { status } = await until(
      () => wl.tasks.get(task!.id),
      ({ status }) => status === 'done',
    )
    stop.abort()
    await ended
    assert.equal(status, 'done')
  })
})
