import assert from 'node:assert/strict'
import { it } from 'node:test'
import { expectStatus } from 'worklore-testing/expect'
import { createProject, createTask, putItem } from 'worklore-testing/factories'
import { describeTenant } from 'worklore-testing/service-suite'

interface Found {
  id: string
  score: number
  matched?: string[]
}

describeTenant('search in comments', (wl) => {
  const search = async (query: string): Promise<Found[]> =>
    expectStatus(await wl.get(`/v1/tasks/search?${query}`), 200).body.data

  it('finds a task by its comments, below one that says it itself, and says so', async () => {
    await createProject(wl, { key: 'CMS' })
    await createTask(wl, 'CMS', { title: 'Repair the printer', labels: ['office'] })
    await createTask(wl, 'CMS', { title: 'The zeppelin lands' })
    await createTask(wl, 'CMS', { title: 'Unrelated' })
    assert.deepEqual(
      (await search('q=zeppelin')).map(({ id }) => id),
      ['CMS-2'],
    )
    const made = await wl.post('/v1/tasks/CMS-1/comments', { body: 'It shows a zeppelin on every page' })
    const found = await search('q=zeppelin')
    assert.deepEqual(
      found.map(({ id, matched }) => [id, matched]),
      [
        ['CMS-2', undefined],
        ['CMS-1', ['comments']],
      ],
    )
    assert.deepEqual(
      (await search('q=zeppelin&label=office')).map(({ id }) => id),
      ['CMS-1'],
    )
    assert.deepEqual(
      (await search('q=zeppelin&status=done')).map(({ id }) => id),
      [],
    )
    await wl.patch('/v1/tasks/CMS-1', { status: 'done' })
    assert.deepEqual(
      (await search('q=zeppelin&status=done')).map(({ id }) => id),
      ['CMS-1'],
    )
    assert.deepEqual(
      (await search('q=zeppelin&limit=1&page=2')).map(({ id }) => id),
      ['CMS-1'],
    )
    await wl.patch(`/v1/tasks/CMS-1/comments/${made.body.data.id}`, { body: 'It shows an airship' })
    assert.deepEqual(
      (await search('q=zeppelin')).map(({ id }) => id),
      ['CMS-2'],
    )
    assert.deepEqual(
      (await search('q=airship')).map(({ id }) => id),
      ['CMS-1'],
    )
    await wl.delete('/v1/tasks/CMS-1')
    assert.deepEqual(await search('q=airship'), [])
  })

  it('finds an item where it was moved to, and no longer where it was', async () => {
    await putItem(wl, 'old/place', 'About the walrus')
    const keys = async () =>
      (await wl.get('/v1/knowledge/search?q=walrus')).body.data.map(({ key }: { key: string }) => key)
    assert.deepEqual(await keys(), ['old/place'])
    expectStatus(await wl.post('/v1/knowledge/move', { from: 'old/place', to: 'new/place' }), 200)
    assert.deepEqual(await keys(), ['new/place'])
  })
})
