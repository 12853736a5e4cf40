import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createKey, createProject } from 'worklore-testing/factories'
import { describeClient } from 'worklore-testing/service-suite'
import { positionKey } from '../src/sync/position-item.js'
import { type Bridged, bridgedFor } from './bridged.js'

const refusalOf = (repo: string, project: string) => ({
  message: `${repo} is already synced with project ${project}; a repository can be synced with one project only. To use another one, delete the knowledge item .github/${repo} of project ${project}.`,
  exitCode: 2,
})

const tasksOf = async ({ wl, stub }: Bridged) =>
  (await wl.tasks.list({ limit: 100 })).data.filter(({ externalId }) => externalId?.startsWith(`${stub.repo}#`))

/** Lets runs go on only when so many of them have loaded their position and ask GitHub for issues. */
const meet = ({ stub }: Bridged, count: number): void => {
  let waiting = 0
  let open = (): void => {}
  const all = new Promise<void>((resolve) => {
    open = resolve
  })
  stub.onRequest(async (_, path) => {
    if (!path.includes('/issues?')) return
    if (++waiting === count) open()
    await all
  })
}

describeClient('a repository and a second project', (tenant) => {
  it('are refused, whatever key is used, until the first one is given up', async (test) => {
    const bridged = await bridgedFor(test, tenant, 'FIRST')
    const { stub, wl, project, run } = bridged
    const second = await createProject(tenant, { key: 'SECOND' })
    const limited = await createKey(tenant, {
      scopes: ['tasks:write', 'knowledge:write'],
      projectIds: [second.id],
    })
    stub.create({ title: 'One' })
    await run()
    const refusal = refusalOf(stub.repo, 'FIRST')
    await assert.rejects(run({ project: 'SECOND' }), refusal)
    await assert.rejects(run({ project: 'SECOND', isDryRun: true }), refusal)
    await assert.rejects(run({ project: 'SECOND', apiKey: limited.key }), refusalOf(stub.repo, project.id))
    await wl.knowledge.delete(positionKey(stub.repo), { projectId: project.id })
    stub.create({ title: 'Two' })
    await run({ project: 'SECOND' })
    const tasks = await tasksOf(bridged)
    assert.deepEqual(tasks.map(({ title, projectId }) => [title, projectId === second.id]).sort(), [
      ['One', false],
      ['Two', true],
    ])
    await assert.rejects(run(), refusalOf(stub.repo, 'SECOND'))
  })

  it('give one task of each issue where both begin at once', async (test) => {
    for (let round = 1; round <= 8; round++) {
      const bridged = await bridgedFor(test, tenant, `RACE${round}`)
      const { stub, run } = bridged
      const others = [`OTHER${round}`, `THIRD${round}`]
      const apiKeys = [(await createKey(tenant, { scopes: ['tasks:write', 'knowledge:write'] })).key, tenant.adminKey]
      for (const key of others) await createProject(tenant, { key })
      for (const title of ['One', 'Two', 'Three']) stub.create({ title })
      meet(bridged, 3)
      const runs = others.map((project, at) => run({ project, apiKey: apiKeys[at]! }))
      const ends = await Promise.allSettled([run(), ...runs])
      const refusals = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))
      assert.equal(refusals.length, 2, String(refusals[2]))
      for (const { message, exitCode } of refusals)
        assert.deepEqual([exitCode, /synced with one project only/.test(message)], [2, true], message)
      const tasks = await tasksOf(bridged)
      assert.deepEqual([tasks.length, new Set(tasks.map(({ projectId }) => projectId)).size], [3, 1])
    }
  })
})
