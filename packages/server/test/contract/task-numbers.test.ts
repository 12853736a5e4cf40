import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { expectInvalid, expectStatus } from 'worklore-testing/expect'
import { createProject, createTask } from 'worklore-testing/factories'
import { startService, type TestService } from 'worklore-testing/harness'
import { describeService } from 'worklore-testing/service-suite'

const createMany = async (nodes: TestService[], projectId: string, count: number): Promise<number[]> => {
  const ids = await Promise.all(
    Array.from({ length: count }, async (_, at) => (await createTask(nodes[at % nodes.length]!, projectId)).id),
  )
  return ids.map((id) => Number(id.split('-')[1])).sort((a, b) => a - b)
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1)

describeService('task numbers', (wl) => {
  it('have no gap and no repeat under 200 creates at once', async () => {
    const { id } = await createProject(wl, { key: 'RUSH' })
    assert.deepEqual(await createMany([wl], id, 200), upTo(200))
  })

  it('leave no gap where creates fail between those that succeed', async () => {
    await createProject(wl, { key: 'FAIL' })
    const numbers = await Promise.all(
      upTo(60).map(async (at) => {
        if (at % 2) return (await createTask(wl, 'FAIL')).id
        const fields = at % 4 ? { assigneeId: 'usr_unknown' } : { title: ' ' }
        expectStatus(await wl.post('/v1/tasks', { projectId: 'FAIL', title: 'x', ...fields }), 400)
      }),
    )
    const given = numbers.filter((id) => id !== undefined).map((id) => Number(id.split('-')[1]))
    assert.deepEqual(
      given.sort((a, b) => a - b),
      upTo(30),
    )
  })

  it('count for each project by itself', async () => {
    for (const key of ['ONE', 'TWO']) await createProject(wl, { key })
    assert.equal((await createTask(wl, 'ONE')).id, 'ONE-1')
    assert.equal((await createTask(wl, 'ONE')).id, 'ONE-2')
    assert.equal((await createTask(wl, 'TWO')).id, 'TWO-1')
  })

  it('are not used again after a delete', async () => {
    await createProject(wl, { key: 'DEL' })
    await createTask(wl, 'DEL')
    const last = await createTask(wl, 'DEL')
    await wl.delete(`/v1/tasks/${last.id}`)
    assert.equal((await createTask(wl, 'DEL')).id, 'DEL-3')
  })

  it('go on when the key of a deleted project is used again', async () => {
    const first = await createProject(wl, { key: 'AGAIN' })
    await createTask(wl, 'AGAIN')
    await createTask(wl, 'AGAIN')
    expectStatus(await wl.delete('/v1/projects/AGAIN?force=true'), 200)
    expectInvalid(await wl.post('/v1/tasks', { projectId: 'AGAIN', title: 'x' }), 'projectId')
    const second = await createProject(wl, { key: 'AGAIN' })
    assert.notEqual(second.id, first.id)
    assert.equal((await createTask(wl, 'AGAIN')).id, 'AGAIN-3')
  })
})

describe('task numbers on two nodes that share one store', () => {
  const nodes: TestService[] = []
  before(async () => {
    const engine = engines.find(({ name }) => name === 'postgres')!
    nodes.push(await startService(engine))
    nodes.push(await startService(engine, { store: nodes[0]!.store }))
  })
  after(async () => {
    for (const node of nodes.toReversed()) await node.stop()
  })

  it('have no gap and no repeat under 200 creates at once', async () => {
    const { id } = await createProject(nodes[0]!)
    assert.deepEqual(await createMany(nodes, id, 200), upTo(200))
  })
})
