import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { PreconditionFailedError } from '../src/index.js'
import { onEveryEngine } from './on-every-engine.js'

onEveryEngine('versions', (stage) => {
  before(() => stage.wl.projects.create({ key: 'ACME', name: 'Acme' }))

  it('change a task only as it was read', async () => {
    const { wl } = stage
    const task = await wl.tasks.create({ projectId: 'ACME', title: 'one' })
    const changed = await wl.tasks.update(task.id, { title: 'two' }, { ifMatch: task })
    assert.equal(changed.version, 2)
    const error = await wl.tasks.update(task.id, { title: 'three' }, { ifMatch: task }).catch((error) => error)
    assert.ok(error instanceof PreconditionFailedError)
    assert.equal(error.currentVersion, 2)
    await assert.rejects(wl.tasks.delete(task.id, { ifMatch: task }), PreconditionFailedError)
    await wl.tasks.delete(task.id, { ifMatch: 2 })
  })

  it('let many change one task by a function and lose none of them', async () => {
    const { wl } = stage
    const { id } = await wl.tasks.create({ projectId: 'ACME', title: 'crowded' })
    const labels = Array.from({ length: 8 }, (_, index) => `label-${index}`)
    await Promise.all(labels.map((label) => wl.tasks.update(id, (task) => ({ labels: [...task.labels, label] }))))
    const task = await wl.tasks.get(id)
    assert.deepEqual(task.labels.toSorted(), labels)
    assert.equal(task.version, 1 + labels.length)
  })

  it('let one of many claim a task: a function that gives nothing changes nothing', async () => {
    const { wl } = stage
    const { id } = await wl.tasks.create({ projectId: 'ACME', title: 'wanted' })
    const users = await Promise.all(['a', 'b', 'c', 'd'].map((name) => wl.users.create({ name })))
    const seen = await Promise.all(
      users.map((user) =>
        wl.tasks.update(id, (task) => (task.assignee ? undefined : { assigneeId: user.id, status: 'in_progress' })),
      ),
    )
    assert.equal(new Set(seen.map(({ assignee }) => assignee!.id)).size, 1)
    assert.equal((await wl.tasks.get(id)).version, 2)
  })

  it('leave an error of the function to the caller', async () => {
    const { wl } = stage
    const { id } = await wl.tasks.create({ projectId: 'ACME', title: 'untouched' })
    const refusal = new Error('no')
    await assert.rejects(
      wl.tasks.update(id, async () => {
        throw refusal
      }),
      refusal,
    )
    assert.equal((await wl.tasks.get(id)).version, 1)
  })
})
