import assert from 'node:assert/strict'
import { it } from 'node:test'
import { inLongRun } from 'worklore-testing/long-run'
import { describeClient } from 'worklore-testing/service-suite'
import { bridgedFor } from './bridged.js'

describeClient('lists of GitHub over several pages', (tenant) => {
  it('are read to their end, whatever falls on the border of a page', async (test) => {
    const bridged = await bridgedFor(test, tenant, 'PAGES')
    const { stub, wl, project, run, sent } = bridged
    const startMs = Math.floor(Date.now() / 1_000) * 1_000 - 3_600_000
    const at = (seconds: number) => ({ createdAtMs: startMs + seconds * 1_000, updatedAtMs: startMs + seconds * 1_000 })
    // A whole page, the last of it alone in its second, and 150 of one second.
    for (let each = 0; each < 100; each++) stub.create({ title: `One ${each}`, ...at(each) })
    await run()
    await run()
    assert.equal(sent.writes, 0)
    assert.ok(sent.github + sent.worklore <= 8, JSON.stringify(sent))
    for (let each = 0; each < 150; each++) stub.create({ title: `Two ${each}`, ...at(200) })
    for (let each = 0; each < 210; each++)
      stub.comment(101 + (each % 3), `Comment ${each}`, 'octocat', startMs + 300_000)
    await run()
    const { pagination } = await wl.tasks.list({ projectId: project.id, limit: 1 })
    assert.equal(pagination.total, 250)
    const [task] = (await wl.tasks.list({ externalId: `${stub.repo}#101` })).data
    assert.equal(task!.commentCount, 70)
    await run()
    assert.equal(sent.writes, 0)
  })

  for (const count of inLongRun([200], [199, 200])) {
    it(`cost nothing while nothing is new after ${count} changed in one second`, async (test) => {
      const bridged = await bridgedFor(test, tenant, `BULK${count}`)
      const { stub, wl, run, sent } = bridged
      const atMs = Math.floor(Date.now() / 1_000) * 1_000 - 3_600_000
      for (let each = 0; each < count; each++) {
        const { number } = stub.create({ title: `Issue ${each}`, createdAtMs: atMs, updatedAtMs: atMs })
        stub.comment(number, 'Said', 'octocat', atMs)
      }
      await run({ withDeletions: true })
      await run({ withDeletions: true })
      assert.deepEqual(sent, { github: 4, worklore: 4, writes: 0, positions: 0 })
      Object.assign(stub.issues.get(7)!, { title: 'Renamed', updatedAtMs: atMs })
      Object.assign(stub.issues.get(8)!, { title: 'Renamed later', updatedAtMs: atMs + 1_000 })
      await run({ withDeletions: true })
      const titleOf = async (number: number): Promise<string> =>
        (await wl.tasks.list({ externalId: `${stub.repo}#${number}` })).data[0]!.title
      assert.deepEqual([await titleOf(7), await titleOf(8)], ['Renamed', 'Renamed later'])
    })
  }
})
