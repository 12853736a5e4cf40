import assert from 'node:assert/strict'
import { it } from 'node:test'
import { NotFoundError } from '../src/index.js'
import { onEveryEngine } from './on-every-engine.js'

onEveryEngine('history, trash and undo', (stage) => {
  it('reads and restores versions, and brings back what was deleted', async () => {
    const { wl } = stage
    await wl.projects.create({ key: 'HIST', name: 'History' })
    await wl.tasks.create({ projectId: 'HIST', title: 'One' })
    await wl.tasks.update('HIST-1', { title: 'Two' })
    const titles: unknown[] = []
    for await (const { changes } of wl.tasks.history('HIST-1', { limit: 1 })) titles.push(changes.title)
    assert.deepEqual(titles, [
      { from: 'One', to: 'Two' },
      { from: null, to: 'One' },
    ])
    assert.equal((await wl.tasks.getVersion('HIST-1', 1)).title, 'One')
    const { data, skipped } = await wl.history.restore({ task: 'HIST-1', version: 1 })
    assert.deepEqual([data.version, skipped], [3, []])
    await wl.knowledge.put('note', { content: 'First' })
    await wl.knowledge.put('note', { content: 'Second' })
    assert.equal((await wl.knowledge.getVersion('note', 1)).content, 'First')

    await wl.tasks.delete('HIST-1')
    const [entry] = (await wl.trash.list({ kind: 'task' })).data
    const restored = await wl.trash.restore(entry!.id)
    assert.deepEqual([restored.task, restored.version, restored.status], ['HIST-1', 4, 'restored'])
    await wl.tasks.delete('HIST-1')
    const [second] = (await wl.trash.list()).data
    assert.deepEqual(await wl.trash.purge(second!.id), { id: second!.id, deleted: true })
    await assert.rejects(wl.trash.restore(second!.id), NotFoundError)
    assert.deepEqual(await wl.trash.empty(), { purged: 0, pending: 0 })
  })

  it('undoes what a key did, after a look', async () => {
    const { wl, clientWith } = stage
    const agent = await wl.keys.create({ name: 'agent', scopes: ['knowledge:write'] })
    await clientWith({ apiKey: agent.key! }).knowledge.put('by/agent', { content: 'Junk' })
    const plan = await wl.history.undo({ keyId: agent.id })
    assert.deepEqual([plan.dryRun, plan.undone.length], [true, 1])
    assert.equal((await wl.knowledge.get('by/agent')).content, 'Junk')
    await wl.history.undo({ keyId: agent.id, dryRun: false })
    await assert.rejects(wl.knowledge.get('by/agent'), NotFoundError)
    const { data } = await wl.history.list({ knowledge: 'by/agent' })
    assert.equal(data[0]!.undoes, data[1]!.id)
  })
})
