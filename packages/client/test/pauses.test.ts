import assert from 'node:assert/strict'
import { it } from 'node:test'
import { ConflictError } from '../src/index.js'
import { onEveryEngine } from './on-every-engine.js'

onEveryEngine('pauses', (stage) => {
  it('are set, told to who asks for work, and ended', async () => {
    const { wl } = stage
    await wl.projects.create({ key: 'CALM', name: 'Calm' })
    const task = await wl.tasks.create({ projectId: 'CALM', title: 'One' })
    const refused = (what: string) => (error: unknown) =>
      error instanceof ConflictError &&
      error.reason === 'paused' &&
      error.what === what &&
      error.paused?.reason === 'Freeze'
    const paused = { reason: 'Freeze' }
    const { key } = await wl.me()
    await wl.keys.update(key.id, { paused })
    await assert.rejects(wl.tasks.next({ projectId: 'CALM' }), refused('key'))
    await wl.projects.update('CALM', { paused })
    await assert.rejects(wl.tasks.claim(task.id), refused('project'))
    assert.equal((await wl.tenant.update({ paused })).paused?.reason, 'Freeze')
    await assert.rejects(wl.tasks.claim(task.id), refused('tenant'))
    assert.equal((await wl.me()).tenant.paused?.by.keyId, key.id)
    assert.equal((await wl.tenant.update({ paused: null })).paused, null)
    await wl.keys.update(key.id, { paused: null })
    await wl.projects.update('CALM', { paused: null })
    assert.equal((await wl.tenant.get()).paused, null)
    const claim = await wl.tasks.claim(task.id)
    await claim.release({ status: 'done' })
  })
})
