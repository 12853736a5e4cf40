import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { expectInvalid, expectStatus } from 'worklore-testing/expect'
import { createProject, createTask } from 'worklore-testing/factories'
import { describeService } from 'worklore-testing/service-suite'

describeService('the order of tasks', (wl) => {
  before(async () => {
    await createProject(wl, { key: 'AA' })
    const fields = [
      { priority: 'high', dueDate: '2026-05-02' },
      { priority: 'low' },
      { priority: 'urgent', dueDate: '2026-05-01' },
      { priority: 'medium', dueDate: '2026-05-03T10:00:00Z' },
      { priority: 'high' },
      { priority: 'low', dueDate: '2026-05-02' },
    ]
    for (const each of fields) {
      await createTask(wl, 'AA', each)
      wl.passTime(10)
    }
    await wl.patch('/v1/tasks/AA-2', { title: 'changed' })
    wl.passTime(10)
    await wl.patch('/v1/tasks/AA-1', { title: 'changed' })
  })

  const order = async (query: string): Promise<string> => {
    const { body } = expectStatus(await wl.get(`/v1/tasks?${query}`), 200)
    return body.data.map(({ id }: { id: string }) => id.slice(3)).join(' ')
  }

  it('is by creation, the newest first, unless asked otherwise', async () => {
    assert.equal(await order(''), '6 5 4 3 2 1')
    assert.equal(await order('sort=-createdAt'), '6 5 4 3 2 1')
    assert.equal(await order('sort=createdAt'), '1 2 3 4 5 6')
  })

  it('can be by the last change', async () => {
    assert.equal(await order('sort=updatedAt'), '3 4 5 6 2 1')
    assert.equal(await order('sort=-updatedAt'), '1 2 6 5 4 3')
  })

  it('can be by priority, urgent the highest, ties by number', async () => {
    assert.equal(await order('sort=priority'), '2 6 4 1 5 3')
    assert.equal(await order('sort=-priority'), '3 5 1 4 6 2')
  })

  it('can be by due date, those without one last in both directions', async () => {
    assert.equal(await order('sort=dueDate'), '3 1 6 4 2 5')
    assert.equal(await order('sort=-dueDate'), '4 6 1 3 5 2')
  })

  it('is the same page by page, whichever way the pages are asked for', async () => {
    const sorts = ['createdAt', 'updatedAt', 'priority', 'dueDate'].flatMap((field) => [field, `-${field}`])
    for (const sort of sorts) {
      const whole = await order(`sort=${sort}`)
      const byPage: string[] = []
      for (const page of [1, 2, 3]) byPage.push(await order(`sort=${sort}&limit=2&page=${page}`))
      assert.equal(byPage.join(' '), whole, sort)
      const byCursor: string[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const { body } = await wl.get(`/v1/tasks?sort=${sort}&limit=1${cursor && `&cursor=${cursor}`}`)
        byCursor.push(body.data[0].id.slice(3))
        cursor = body.pagination.nextCursor
      }
      assert.equal(byCursor.join(' '), whole, sort)
    }
  })

  it('goes by nothing else', async () => {
    for (const sort of ['title', '+createdAt', '--createdAt', 'createdat', '']) {
      expectInvalid(await wl.get(`/v1/tasks?sort=${encodeURIComponent(sort)}`), 'sort')
    }
  })
})
