import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createTask } from 'worklore-testing/factories'
import { describeClient } from 'worklore-testing/service-suite'
import { until } from 'worklore-testing/until'
import { positionKey } from '../src/sync/position-item.js'
import { createPositionStore } from '../src/sync/position-store.js'
import { type Bridged, bridgedFor } from './bridged.js'

const itemOf = ({ wl, stub, project }: Bridged) => wl.knowledge.get(positionKey(stub.repo), { projectId: project.id })

const positionOf = async (bridged: Bridged) => JSON.parse((await itemOf(bridged)).content)

/** Longer than a test takes on a slow machine. */
const longMs = 3_600_000

/** As another run that holds the lease for a while. */
const steal = async (bridged: Bridged, ms: number): Promise<void> => {
  const item = await itemOf(bridged)
  const lease = { holder: 'another', until: new Date(Date.now() + ms).toISOString() }
  const content = JSON.stringify({ ...JSON.parse(item.content), lease })
  await bridged.wl.knowledge.put(item.key, { content, projectId: bridged.project.id }, { ifMatch: item })
}

/** Does something while a run waits for the answer to its first write to GitHub. */
const duringWrite = ({ stub }: Bridged, step: () => Promise<unknown>): void => {
  stub.onRequest(async (method) => {
    if (method !== 'POST') return
    stub.onRequest(() => undefined)
    await step()
  })
}

describeClient('the lease of a run of wl-github', (tenant) => {
  it('is not taken by a run with nothing to write', async (test) => {
    const bridged = await bridgedFor(test, tenant, 'QUIET')
    const { stub, run, sent } = bridged
    stub.create({ title: 'One' })
    await run()
    const { version } = await itemOf(bridged)
    await run()
    assert.deepEqual([sent.positions, (await itemOf(bridged)).version], [0, version])
  })

  it('is taken only where no other run wrote since the position was loaded', async (test) => {
    const bridged = await bridgedFor(test, tenant, 'BEHIND')
    const { stub, wl, project, actions, run } = bridged
    const { number } = stub.create({ title: 'One' })
    await createTask(tenant, project.id, { title: 'Two' })
    // Another run does everything while this one reads.
    stub.onRequest(async (_, path) => {
      if (!path.includes('/issues?')) return
      stub.onRequest(() => undefined)
      await run()
      stub.comment(number, 'Since then')
    })
    await run()
    const { data: tasks } = await wl.tasks.list({ projectId: project.id })
    assert.deepEqual([stub.issues.size, tasks.length], [2, 2])
    assert.deepEqual(actions.map(({ action }) => action).sort(), [
      'comment.copied',
      'issue.created',
      'task.created',
      'task.linked',
    ])
    assert.equal(tasks.find(({ title }) => title === 'One')?.commentCount, 1)
    assert.equal((await positionOf(bridged)).lease, undefined)
  })

  it('keeps a second run out, or lets it wait', async (test) => {
    const bridged = await bridgedFor(test, tenant, 'LEASE')
    const { stub, project, run } = bridged
    const task = await createTask(tenant, project.id, { title: 'One' })
    await bridged.wl.tasks.comments(task.id).create({ body: 'About it' })
    duringWrite(bridged, () =>
      assert.rejects(run(), {
        message:
          /^Another run of wl github for acme\/lease is at work; its lease ends at 20\S+ unless it is renewed\.$/,
        exitCode: 5,
      }),
    )
    await run()
    await createTask(tenant, project.id, { title: 'Two' })
    let waits = 0
    let waiting: Promise<void> | undefined
    duringWrite(bridged, async () => {
      await new Promise<void>((resolve) => {
        const onHeld = (): Promise<void> => {
          waits++
          resolve()
          return pause(10)
        }
        waiting = run({ onHeld })
      })
    })
    await run()
    await waiting
    assert.ok(waits > 0)
    assert.deepEqual([stub.issues.size, stub.comments.size], [2, 1])
    assert.equal((await positionOf(bridged)).lease, undefined)
  })

  it('is released by a run that fails, and expires after one that is killed', async (test) => {
    const bridged = await bridgedFor(test, tenant, 'EXPIRE')
    const { stub, run } = bridged
    stub.create({ title: 'One' })
    stub.onRequest((_, path) => (path.includes('/comments?') ? { status: 401, body: { message: 'No' } } : undefined))
    await assert.rejects(run())
    assert.equal((await positionOf(bridged)).lease, undefined)
    stub.onRequest(() => undefined)
    stub.create({ title: 'Two' })
    await run({ killAt: 12 })
    assert.ok((await positionOf(bridged)).lease)
    await run()
    assert.equal((await positionOf(bridged)).lease, undefined)
  })

  it('is renewed while a run goes on', async (test) => {
    const bridged = await bridgedFor(test, tenant, 'RENEW')
    const { stub, project, run } = bridged
    await createTask(tenant, project.id, { title: 'One' })
    await createTask(tenant, project.id, { title: 'Two' })
    // Each write to GitHub comes when the lease has run out.
    await run({ leaseMs: 1 })
    assert.equal(stub.issues.size, 2)
  })

  it('ends a run that lost it before its next write to GitHub', async (test) => {
    const bridged = await bridgedFor(test, tenant, 'LOST')
    const { stub, project, run } = bridged
    for (const title of ['One', 'Two', 'Three']) await createTask(tenant, project.id, { title })
    duringWrite(bridged, () => steal(bridged, longMs))
    await assert.rejects(run({ leaseMs: 1 }), /Another run of wl github/)
    assert.ok(stub.issues.size < 3)
    assert.equal((await positionOf(bridged)).lease.holder, 'another')
  })

  it('is not taken back by a renewal that was due before the loss was seen', async (test) => {
    const bridged = await bridgedFor(test, tenant, 'TAKEN')
    const { stub, wl, project } = bridged
    const leaseMs = 120_000
    const store = createPositionStore({
      ...{ wl, projectId: project.id, repo: stub.repo, formerName: undefined, leaseMs, login: 'ada', keyId: 'key_1' },
    })
    await store.load(undefined)
    test.mock.timers.enable({ apis: ['setInterval', 'Date'], now: Date.now() })
    await store.hold()
    await steal(bridged, 10 * leaseMs)
    // Two renewals are due before the first one is answered.
    test.mock.timers.tick(0.75 * leaseMs)
    await assert.rejects(store.hold(), /Another run of wl github/)
    assert.equal((await positionOf(bridged)).lease.holder, 'another')
    await store.release()
  })

  it('does not end a run whose position was changed or deleted by a person', async (test) => {
    const bridged = await bridgedFor(test, tenant, 'BYHAND')
    const { stub, wl, project, run, sent } = bridged
    await createTask(tenant, project.id, { title: 'One' })
    duringWrite(bridged, async () => wl.knowledge.delete((await itemOf(bridged)).key, { projectId: project.id }))
    await run()
    await createTask(tenant, project.id, { title: 'Two' })
    duringWrite(bridged, async () => {
      const { key, content } = await itemOf(bridged)
      await wl.knowledge.put(key, { content: ` ${content}`, projectId: project.id })
    })
    await run()
    await run()
    assert.deepEqual([stub.issues.size, sent.writes], [2, 0])
    for (const broken of ['{', 'null', '[]', '{"gone": 1, "issues": null, "named": {}, "writers": []}']) {
      await wl.knowledge.put((await itemOf(bridged)).key, { content: broken, projectId: project.id })
      await run()
      assert.deepEqual([stub.issues.size, (await positionOf(bridged)).gone], [2, []], broken)
    }
  })

  it('is regained by a watch that lost it', async (test) => {
    const bridged = await bridgedFor(test, tenant, 'REGAIN')
    const { stub, wl, project, run } = bridged
    const stop = new AbortController()
    test.after(() => stop.abort())
    const notes: string[] = []
    let lookAt = (_: number): void => {}
    const onStart = (watch: { lookAt(number: number): void }): void => {
      lookAt = watch.lookAt
    }
    const note = (line: string): void => void notes.push(line)
    const leaseMs = 400
    const ended = run({ leaseMs, watch: { signal: stop.signal, note, onStart } })
    await createTask(tenant, project.id, { title: 'One' })
    await until(
      async () => stub.issues.size,
      (count) => count === 1,
    )
    // The run renews the lease meanwhile.
    await until(
      () =>
        steal(bridged, longMs).then(
          () => true,
          () => false,
        ),
      (isStolen) => isStolen,
    )
    await pause(leaseMs)
    const { number } = stub.create({ title: 'Two' })
    lookAt(number)
    await createTask(tenant, project.id, { title: 'Three' })
    await until(
      async () => notes.length,
      (count) => count > 0,
    )
    assert.equal(stub.issues.size, 2)
    await steal(bridged, 0)
    await until(
      async () => (await wl.tasks.list({ projectId: project.id })).data,
      (tasks) => tasks.length === 3 && tasks.every(({ externalId }) => externalId !== null),
    )
    stop.abort()
    await ended
    assert.match(notes.join('\n'), /^Another run of wl github for acme\/regain is at work.* Trying again in/)
    assert.equal((await positionOf(bridged)).lease, undefined)
  })
})
