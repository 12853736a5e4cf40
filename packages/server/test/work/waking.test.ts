import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { engines } from 'worklore-testing/engines'
import { expectStatus } from 'worklore-testing/expect'
import { createProject, createTask } from 'worklore-testing/factories'
import { startService } from 'worklore-testing/harness'
import { readyTopic } from '../../src/db/topics.js'

it('a ready task that gets another parent wakes who waits for a task below it', async () => {
  const wl = await startService(engines[0]!)
  try {
    await createProject(wl, { key: 'ACME' })
    const parent = await createTask(wl, 'ACME')
    const task = await createTask(wl, 'ACME')
    // What was committed before is told by then.
    await setImmediate()
    const { db } = wl.service.core
    let told = 0
    db.listen((commits) => {
      if (commits.has(readyTopic(wl.tenantId))) told++
    })
    expectStatus(await wl.patch(`/v1/tasks/${task.id}`, { title: 'Another' }), 200)
    await setImmediate()
    assert.equal(told, 0)
    expectStatus(await wl.patch(`/v1/tasks/${task.id}`, { parentId: parent.id }), 200)
    await setImmediate()
    assert.equal(told, 1)
  } finally {
    await wl.stop()
  }
})
