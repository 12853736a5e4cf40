import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { ValidationError } from '../src/index.js'
import { onEveryEngine } from './on-every-engine.js'

onEveryEngine('a listing', (stage) => {
  before(async () => {
    const { wl } = stage
    for (const key of ['ONE', 'TWO']) await wl.projects.create({ key, name: key })
    for (let index = 0; index < 23; index++) {
      await wl.tasks.create({
        projectId: index % 2 ? 'ONE' : 'TWO',
        title: `Task ${index}`,
        status: (['todo', 'in_progress', 'done'] as const)[index % 3]!,
        labels: [index % 2 ? 'odd' : 'even'],
      })
    }
  })

  it('is one page when awaited', async () => {
    const { data, pagination } = await stage.wl.tasks.list({ limit: 10 })
    assert.equal(data.length, 10)
    assert.equal(pagination.total, 23)
    assert.equal(pagination.totalPages, 3)
    const third = await stage.wl.tasks.list({ limit: 10, page: 3 })
    assert.equal(third.data.length, 3)
  })

  it('is every record when iterated, from the page on that is asked for', async () => {
    const seen = new Set<string>()
    for await (const task of stage.wl.tasks.list({ limit: 5, total: 'exact' })) seen.add(task.id)
    assert.equal(seen.size, 23)
    let count = 0
    for await (const _ of stage.wl.tasks.list({ limit: 10, page: 2 })) count++
    assert.equal(count, 13)
  })

  it('neither skips nor repeats a record while others are written', async () => {
    const { wl } = stage
    const before = (await wl.tasks.list({ limit: 100 })).data.map(({ id }) => id)
    const seen: string[] = []
    for await (const task of wl.tasks.list({ limit: 4 })) {
      seen.push(task.id)
      if (seen.length % 4 === 0) await wl.tasks.create({ projectId: 'ONE', title: 'In between', labels: ['late'] })
    }
    assert.deepEqual(seen, before)
    for await (const { id } of wl.tasks.list({ label: 'late' })) await wl.tasks.delete(id)
  })

  it('goes page by page', async () => {
    const sizes: number[] = []
    for await (const { data } of stage.wl.tasks.list({ limit: 10 }).pages()) sizes.push(data.length)
    assert.deepEqual(sizes, [10, 10, 3])
  })

  it('takes several values of a filter as any of them', async () => {
    const { data } = await stage.wl.tasks.list({
      status: ['todo', 'in_progress'],
      projectId: 'ONE',
      label: ['odd', 'x'],
    })
    assert.ok(data.length > 0)
    for (const { status, labels } of data) {
      assert.notEqual(status, 'done')
      assert.deepEqual(labels, ['odd'])
    }
  })

  it('sends nothing before it is asked, and no further page after a break', async () => {
    const { wl, proxy } = stage
    const sent = proxy.requests.length
    const listing = wl.tasks.list({ limit: 5 })
    await new Promise((done) => setTimeout(done, 20))
    assert.equal(proxy.requests.length, sent)
    for await (const _ of listing) break
    assert.equal(proxy.requests.length, sent + 1)
  })

  it('rejects where it is awaited, caught or iterated', async () => {
    const wrong = () => stage.wl.tasks.list({ limit: 1_000 })
    await assert.rejects(async () => await wrong(), ValidationError)
    assert.equal(await wrong().catch((error: Error) => error.name), 'ValidationError')
    await assert.rejects(async () => {
      for await (const _ of wrong());
    }, ValidationError)
  })

  it('pages projects, users and keys too', async () => {
    const { wl } = stage
    const keys: string[] = []
    for await (const project of wl.projects.list({ limit: 1 })) keys.push(project.key)
    assert.deepEqual(keys.toSorted(), ['ONE', 'TWO'])
    for (const name of ['a', 'b', 'c']) await wl.users.create({ name })
    const names: string[] = []
    for await (const user of wl.users.list({ limit: 2 })) names.push(user.name)
    assert.deepEqual(names.toSorted(), ['a', 'b', 'c'])
    assert.equal((await wl.keys.list()).data.length, 1)
  })
})
