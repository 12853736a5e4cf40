import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Worklore } from 'worklore-client'
import { describeClient } from 'worklore-testing/service-suite'
import { type Bridged, bridgedFor } from './bridged.js'

const quoted = (text: string): string => `No:\n\n${text.replaceAll(/^/gm, '> ')}`

const bodiesThere = ({ stub }: Bridged): string[] => [...stub.comments.values()].map(({ body }) => body)

const onlyTask = async ({ wl, project }: Bridged) => (await wl.tasks.list({ projectId: project.id })).data[0]!

const bodiesHere = async (bridged: Bridged): Promise<string[]> => {
  const { id } = await onlyTask(bridged)
  return (await bridged.wl.tasks.comments(id).list({ limit: 100 })).data.map(({ body }) => body)
}

describeClient('copies of comments', (tenant) => {
  it('are not what quotes or repeats them here', async (test) => {
    const bridged = await bridgedFor(test, tenant, 'QUOTES')
    const { stub, wl, run, sent } = bridged
    stub.create({ title: 'One' })
    stub.comment(1, 'The original')
    await run()
    const task = await onlyTask(bridged)
    const [copy] = await bodiesHere(bridged)
    await wl.tasks.comments(task.id).create({ body: quoted(copy!) })
    await wl.tasks.comments(task.id).create({ body: copy!.replace('The original', 'Pasted') })
    const { body: key } = await tenant.post('/v1/keys', { name: 'other', scopes: ['tasks:write'] })
    const other = new Worklore({ baseUrl: tenant.baseUrl, apiKey: key.data.key })
    await other.tasks.comments(task.id).create({ body: copy!.replace('The original', 'Forged') })
    await run()
    await run({ isFull: true, withDeletions: true })
    assert.equal(bodiesThere(bridged)[0], 'The original')
    assert.deepEqual([stub.comments.size, (await bodiesHere(bridged)).length], [4, 4])
    assert.equal((await bodiesHere(bridged))[0], copy)
    await run()
    assert.equal(sent.writes, 0)
  })

  it('are not what quotes or repeats them there', async (test) => {
    const bridged = await bridgedFor(test, tenant, 'FORGED')
    const { stub, wl, run, sent } = bridged
    stub.create({ title: 'One' })
    await run()
    const task = await onlyTask(bridged)
    await wl.tasks.comments(task.id).create({ body: 'Our words' })
    await run()
    const [copy] = bodiesThere(bridged)
    stub.comment(1, quoted(copy!), stub.bot)
    stub.comment(1, copy!.replace('Our words', 'Pasted'), stub.bot)
    stub.comment(1, copy!.replace('Our words', 'Forged'), 'mallory')
    await run()
    await run({ isFull: true, withDeletions: true })
    assert.equal((await bodiesHere(bridged))[0], 'Our words')
    assert.equal(bodiesThere(bridged)[0], copy)
    assert.deepEqual([stub.comments.size, (await bodiesHere(bridged)).length], [4, 4])
    await run()
    assert.equal(sent.writes, 0)
  })

  it('are tried again where one side refused them', async (test) => {
    const bridged = await bridgedFor(test, tenant, 'LOCKED')
    const { stub, wl, run, refusals, outstanding, sent } = bridged
    stub.create({ title: 'One' })
    await run()
    const task = await onlyTask(bridged)
    const first = await wl.tasks.comments(task.id).create({ body: 'First words' })
    await run()
    await wl.tasks.comments(task.id).create({ body: 'To a locked issue' })
    await wl.tasks.comments(task.id).update(first.id, { body: 'Better words' })
    stub.onRequest((method) => (method === 'GET' ? undefined : { status: 403, body: { message: 'Locked' } }))
    for (let runs = 1; runs <= 2; runs++) {
      await run()
      assert.equal(outstanding(), 1)
    }
    assert.match(refusals.map(({ reason }) => reason).join(), /Locked/)
    stub.onRequest(() => undefined)
    await run()
    assert.equal(outstanding(), 0)
    assert.match(bodiesThere(bridged).join(), /Better words.*To a locked issue/s)
    await run()
    assert.deepEqual([sent.writes, stub.comments.size], [0, 2])
  })

  it('are not sent again where they were deleted', async (test) => {
    const bridged = await bridgedFor(test, tenant, 'AGAIN')
    const { stub, wl, run } = bridged
    stub.create({ title: 'One' })
    await run()
    const task = await onlyTask(bridged)
    for (const body of ['One', 'Two']) await wl.tasks.comments(task.id).create({ body })
    await run()
    stub.deleteComment(1)
    await run({ isFull: true })
    assert.deepEqual([stub.comments.size, (await bodiesHere(bridged)).length], [1, 2])
    await run({ isFull: true, withDeletions: true })
    assert.deepEqual([stub.comments.size, (await bodiesHere(bridged)).length], [1, 1])
  })

  it('stay where a comment is deleted while pages are read', async (test) => {
    const bridged = await bridgedFor(test, tenant, 'SHIFT')
    const { stub, run } = bridged
    stub.create({ title: 'One' })
    for (let each = 1; each <= 105; each++) stub.comment(1, `Comment ${each}`)
    await run({ withDeletions: true })
    stub.onRequest((method, path) => {
      if (method === 'GET' && /issues\/1\/comments\?.*page=2/.test(path)) stub.deleteComment(1)
    })
    stub.edit(1, { title: 'Two' })
    await run({ withDeletions: true })
    stub.onRequest(() => undefined)
    await run({ withDeletions: true, isFull: true })
    assert.equal(stub.comments.size, 104)
    assert.equal((await onlyTask(bridged)).commentCount, 104)
  })
})
