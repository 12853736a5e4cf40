import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createTask } from 'worklore-testing/factories'
import { describeClient } from 'worklore-testing/service-suite'
import { linkOf } from '../src/sync/link.js'
import { bridgedFor } from './bridged.js'

const hourMs = 3_600_000

describeClient('open pull requests that name tasks', (tenant) => {
  it('cost a handful of requests while nothing changes, and show when their checks end', async (test) => {
    const bridged = await bridgedFor(test, tenant, 'OPENPULLS')
    const { stub, wl, project, run, sent } = bridged
    const task = await createTask(tenant, project.id, { title: 'A task' })
    await run()
    const updatedAtMs = Math.floor((Date.now() - hourMs) / 1_000) * 1_000
    stub.issues.get(1)!.updatedAtMs = updatedAtMs
    // Of 18 pull requests, 3 have checks that run.
    const pulls = Array.from({ length: 18 }, (_, at) =>
      stub.create({
        ...{ title: `Fix ${at}`, body: `See ${task.id}`, updatedAtMs: updatedAtMs + 1_000 },
        pull: { draft: false, mergedAtMs: null, reviews: [], checks: at < 3 ? [null] : ['success'] },
      }),
    )
    await run({ isFull: true })
    await run()
    assert.equal(sent.writes, 0)
    // Two for each of the three, and of five others.
    assert.ok(sent.github <= 4 + 2 * 8, JSON.stringify(sent))
    const checksOf = async ({ number }: { number: number }) =>
      linkOf(await wl.tasks.get(task.id)).pulls![`${stub.repo}#${number}`]!.checks
    for (const { pull } of pulls.slice(0, 3)) pull!.checks = ['success']
    await run()
    assert.deepEqual(await Promise.all(pulls.slice(0, 3).map(checksOf)), ['passed', 'passed', 'passed'])
    // Checks that are run again: all get their turn.
    const last = pulls.at(-1)!
    last.pull!.checks = ['failure']
    for (let runs = 0; runs < 100 && (await checksOf(last)) === 'passed'; runs++) await run()
    assert.equal(await checksOf(last), 'failed')
  })
})
