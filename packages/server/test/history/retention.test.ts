import assert from 'node:assert/strict'
import { it } from 'node:test'
import { expectError, expectStatus } from 'worklore-testing/expect'
import { createProject, createTask, putItem } from 'worklore-testing/factories'
import { rowsOf, type TestService } from 'worklore-testing/harness'
import { randomFrom } from 'worklore-testing/random'
import { describeService } from 'worklore-testing/service-suite'
import { until } from 'worklore-testing/until'
import { packVersions } from '../../src/recovery/history/retention/pack.js'
import { trimVersions } from '../../src/recovery/history/retention/trim.js'

const dayMs = 86_400_000

const storedBytes = async (wl: TestService): Promise<number> => {
  const [plain] = await rowsOf<{ bytes: number | null }>(wl, 'select sum(octet_length(before)) as bytes from history')
  const [packs] = await rowsOf<{ bytes: number | null }>(
    wl,
    'select sum(octet_length(data)) as bytes from history_packs',
  )
  return Number(plain!.bytes ?? 0) + Number(packs!.bytes ?? 0)
}

describeService('old versions', (wl) => {
  const pack = () => {
    const { db, clock, metrics } = wl.service.core
    return packVersions(db, clock, metrics)
  }
  const trim = () => {
    const { db, clock, metrics } = wl.service.core
    return trimVersions(db, clock, metrics, 365 * dayMs)
  }
  const version = async (key: string, number: number) => wl.get(`/v1/knowledge/${key}?version=${number}`)

  it('are packed: a hundred of a long text that changes little take less than a megabyte', async () => {
    const random = randomFrom(7)
    const lines = Array.from({ length: 4_000 }, () => random().toString(36).padEnd(13, '0').repeat(4).slice(0, 49))
    const contents: string[] = []
    for (let at = 0; at <= 100; at++) {
      lines[Math.floor(random() * lines.length)] = `change ${at} "ä" \\`
      contents.push(lines.join('\n'))
      await putItem(wl, 'long', contents[at]!)
      // The tail is packed again with what follows.
      if (at === 30) {
        wl.passTime(120_000)
        await pack()
      }
    }
    assert.ok(contents[0]!.length > 190_000)
    wl.passTime(120_000)
    await pack()
    const bytes = await storedBytes(wl)
    assert.ok(bytes < 1_000_000, `${bytes} bytes`)
    for (const at of [0, 1, 30, 31, 32, 60, 99]) {
      assert.equal((await version('long', at + 1)).body.data.content, contents[at])
    }
    const [newest] = (await wl.get('/v1/history?knowledge=long&limit=1')).body.data
    assert.match(newest.changes.content.diff, /^-.*\n\+change 100 "ä" \\$/m)
  })

  it('go when they are both old and not among the last hundred', async () => {
    for (let at = 1; at <= 130; at++) await putItem(wl, 'often', `Content ${at}`)
    await putItem(wl, 'seldom', 'One')
    await putItem(wl, 'seldom', 'Two')
    wl.passTime(366 * dayMs)
    await pack()
    await putItem(wl, 'often', 'Newest')
    await trim()
    for (const number of [1, 30]) expectError(await version('often', number), 'NOT_FOUND')
    for (const number of [31, 130, 131]) expectStatus(await version('often', number), 200)
    expectStatus(await version('seldom', 1), 200)
    assert.match(await wl.service.core.metrics.text(), /worklore_history_trimmed_total [1-9]\d/)
    const { pagination } = (await wl.get('/v1/history?knowledge=often&limit=100')).body
    assert.equal(pagination.hasMore, false)
  })

  it('go with the trash after its time', async () => {
    await createProject(wl, { key: 'OLD' })
    await createTask(wl, 'OLD')
    await createTask(wl, 'OLD')
    expectStatus(await wl.delete('/v1/tasks/OLD-1'), 200)
    const { purgedAt, deletedAt } = (await wl.get('/v1/trash')).body.data[0]
    assert.equal(Date.parse(purgedAt) - Date.parse(deletedAt), 30 * dayMs)
    wl.passTime(20 * dayMs)
    expectStatus(await wl.delete('/v1/tasks/OLD-2'), 200)
    wl.passTime(11 * dayMs)
    const tasks = await until(
      async () => (await wl.get('/v1/trash?kind=task')).body.data.map(({ task }: { task: string }) => task),
      (found) => found.length === 1,
    )
    assert.deepEqual(tasks, ['OLD-2'])
    const [audited] = (await wl.get('/v1/audit?action=trash.purged')).body.data
    assert.deepEqual([audited.details, audited.via], [{ entries: 1 }, 'service'])
    const purged = await until(
      () => wl.get('/v1/history?task=OLD-1'),
      ({ status }) => status !== 200,
    )
    expectError(purged, 'NOT_FOUND')
    expectStatus(await wl.get('/v1/history?task=OLD-2'), 200)
  })
})
