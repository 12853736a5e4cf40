import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createTask } from 'worklore-testing/factories'
import { describeClient } from 'worklore-testing/service-suite'
import { until } from 'worklore-testing/until'
import { failureOf } from '../src/failure.js'
import { type Bridged, bridgedFor } from './bridged.js'

type Spoil = Parameters<Bridged['stub']['onReply']>[0]

/** Spoils the first answer to a request, and gives how many of them came. */
const spoilFirst = ({ stub }: Bridged, method: string, path: RegExp, spoil: (reply: ReturnType<Spoil>) => object) => {
  let count = 0
  stub.onReply((askedMethod, askedPath, reply) => {
    if (askedMethod !== method || !path.test(askedPath)) return reply
    return ++count === 1 ? { ...reply, ...spoil(reply) } : reply
  })
  return () => count
}

const cut = () => ({ isCut: true })

describeClient('an answer of GitHub that is not whole', (tenant) => {
  it('is asked for again', async (test) => {
    const bridged = await bridgedFor(test, tenant, 'CUT')
    const { stub, wl, project, run } = bridged
    stub.create({ title: 'One' })
    stub.comment(1, 'Hello')
    const count = spoilFirst(bridged, 'GET', /\/issues$/, cut)
    await run()
    assert.ok(count() > 1)
    spoilFirst(bridged, 'GET', /\/issues\/comments$/, () => ({ body: { message: 'Hello' } }))
    stub.comment(1, 'Again')
    await run()
    spoilFirst(bridged, 'GET', /\/issues$/, () => ({ body: [{ title: 'Two' }] }))
    stub.create({ title: 'Two' })
    await run()
    const { data } = await wl.tasks.list({ projectId: project.id, sort: 'createdAt' })
    assert.deepEqual(
      data.map(({ title, commentCount }) => [title, commentCount]),
      [
        ['One', 2],
        ['Two', 0],
      ],
    )
  })

  it('is no record of a write', async (test) => {
    const bridged = await bridgedFor(test, tenant, 'UNWRITTEN')
    const { stub, wl, project, run } = bridged
    const task = await createTask(tenant, project.id, { title: 'One' })
    const isAway = (error: unknown): boolean => failureOf(error).exitCode === 6
    for (const spoil of [cut, () => ({ body: {} }), () => ({ status: 200 })]) {
      spoilFirst(bridged, 'POST', /\/issues$/, spoil)
      await createTask(tenant, project.id, { title: 'Another' })
      await assert.rejects(run(), isAway)
      await run()
    }
    await wl.tasks.comments(task.id).create({ body: 'Sent once' })
    for (const spoil of [cut, () => ({ body: {} }), () => ({ status: 200 })]) {
      spoilFirst(bridged, 'POST', /\/comments$/, spoil)
      await wl.tasks.comments(task.id).create({ body: 'Sent once, too' })
      await assert.rejects(run(), isAway)
      await run()
    }
    assert.deepEqual([stub.issues.size, stub.comments.size], [4, 4])
    // What was not carried out is sent again.
    await wl.tasks.comments(task.id).create({ body: 'Not lost' })
    stub.onReply((method, path, reply) => {
      if (method !== 'POST') return reply
      stub.deleteComment((reply.body as { id: number }).id)
      stub.onReply((_, __, other) => other)
      return { status: 200, body: { hello: path } }
    })
    await assert.rejects(run(), isAway)
    await run()
    assert.match([...stub.comments.values()].at(-1)!.body, /Not lost/)
  })

  it('does not end a watch', async (test) => {
    const bridged = await bridgedFor(test, tenant, 'WHOLE')
    const { stub, project, run } = bridged
    const stop = new AbortController()
    const notes: string[] = []
    spoilFirst(bridged, 'POST', /\/issues$/, cut)
    await createTask(tenant, project.id, { title: 'One' })
    await createTask(tenant, project.id, { title: 'Two' })
    const ended = run({ watch: { signal: stop.signal, note: (line) => void notes.push(line) } })
    await until(
      async () => stub.issues.size,
      (count) => count === 2,
    )
    stop.abort()
    await ended
    assert.match(notes.join(), /cut off/)
  })
})
