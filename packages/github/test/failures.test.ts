import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createTask } from 'worklore-testing/factories'
import { describeClient } from 'worklore-testing/service-suite'
import { failureOf } from '../src/failure.js'
import { linkOf } from '../src/sync/link.js'
import { bridgedFor } from './bridged.js'

const failed = { status: 502, body: { message: 'Server Error' } }

describeClient('a record that GitHub always fails for', (tenant) => {
  it('does not stop the others, and is tried again in the next run', async (test) => {
    const bridged = await bridgedFor(test, tenant, 'FAILING')
    const { stub, wl, project, run, refusals, sent, outstanding } = bridged
    for (const title of ['One', 'Two', 'Three']) stub.create({ title })
    await run()
    const pull = { draft: false, mergedAtMs: null, reviews: [], checks: ['success'] }
    const broken = stub.create({ title: 'Broken', body: 'See #3', pull }).number
    const { number } = stub.create({ title: 'Fix', body: 'See #3', pull })
    const taskOf = async (issue: number) => (await wl.tasks.list({ externalId: `${stub.repo}#${issue}` })).data[0]!
    const unsent = await createTask(tenant, project.id, { title: 'Unsent' })
    for (const issue of [1, 2]) {
      const { id, title } = await taskOf(issue)
      await wl.tasks.update(id, { title: `${title}, renamed` })
    }
    const { id } = await taskOf(3)
    for (const body of ['First', 'Second']) await wl.tasks.comments(id).create({ body })
    const pullsOf = async () => Object.keys(linkOf(await taskOf(3)).pulls ?? {})

    const isBroken = (method: string, path: string): boolean =>
      (method === 'PATCH' && path.endsWith('/issues/1')) ||
      path.includes(`/pulls/${broken}`) ||
      (method === 'POST' && /\/issues(\/3\/comments)?$/.test(path))
    stub.onRequest((method, path) => (isBroken(method, path) ? failed : undefined))
    await run()
    assert.deepEqual([stub.issues.get(1)!.title, stub.issues.get(2)!.title], ['One', 'Two, renamed'])
    assert.deepEqual(await pullsOf(), [`${stub.repo}#${number}`])
    assert.ok(outstanding() === 4, String(outstanding()))
    assert.ok(refusals.some(({ issue, reason }) => issue === 1 && /GitHub failed: .*\(502\)/.test(reason)))
    assert.ok(refusals.some(({ task }) => task === unsent.id))

    stub.onRequest(() => undefined)
    await run()
    assert.equal(outstanding(), 0)
    assert.equal(stub.issues.get(1)!.title, 'One, renamed')
    assert.equal((await pullsOf()).length, 2)
    assert.deepEqual([stub.issues.size, stub.comments.size], [6, 2])
    await run()
    assert.equal(sent.writes, 0)
  })

  it('ends the run where GitHub fails for everything', async (test) => {
    const bridged = await bridgedFor(test, tenant, 'OUTAGE')
    const { stub, project, run } = bridged
    await createTask(tenant, project.id, { title: 'One' })
    let isDown = false
    stub.onRequest((method) => {
      isDown ||= method === 'POST'
      return isDown ? failed : undefined
    })
    await assert.rejects(run(), (error) => failureOf(error).exitCode === 6)
    stub.onRequest(() => undefined)
    await run()
    assert.equal(stub.issues.size, 1)
  })
})
