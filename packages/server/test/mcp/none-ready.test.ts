import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createKey, createProject, createTask, createUser } from 'worklore-testing/factories'
import { describeClientService } from 'worklore-testing/service-suite'
import { callTool } from './messages.js'

describeClientService('what MCP says where no task is ready', (wl) => {
  it('is why, by counts, for what was asked for', async () => {
    await createProject(wl, { key: 'NONE', maxAttempts: 1 })
    const scopes = ['tasks:write']
    const [mine, other] = [await createKey(wl, { scopes }), await createKey(wl, { scopes })]
    const ask = async (args: Record<string, unknown> = {}) =>
      (await callTool(wl, 'claim_task', { project: 'NONE', ...args }, mine)).text
    assert.equal((await callTool(wl, 'claim_task', {}, mine)).text, 'No task is ready: none is open.')
    assert.equal(await ask(), 'No task is ready: no open task matches project NONE.')

    await createTask(wl, 'NONE', { title: 'Held', labels: ['x'] })
    assert.match(await ask(), /^You hold claim NONE-1\.1 /)
    assert.equal(await ask(), 'No task is ready: 1 held by you. list_tasks shows them.')
    await createTask(wl, 'NONE', { title: 'Of others', labels: ['x'] })
    await callTool(wl, 'claim_task', { id: 'NONE-2' }, other)
    for (const title of ['Blocked', 'Blocked too']) await createTask(wl, 'NONE', { title, blockedBy: ['NONE-1'] })
    const { id } = await createUser(wl)
    await createTask(wl, 'NONE', { assigneeId: id })
    await createTask(wl, 'NONE', { status: 'in_progress' })
    await createTask(wl, 'NONE', { status: 'done' })
    const first = new Date(Date.now() + 3_600_000).toISOString()
    for (const hours of [2, 1]) {
      await createTask(wl, 'NONE', { notBefore: new Date(Date.parse(first) + (hours - 1) * 3_600_000).toISOString() })
    }
    await createTask(wl, 'NONE', { title: 'Tried' })
    await callTool(wl, 'claim_task', { id: 'NONE-10' }, other)
    const release = { id: 'NONE-10', claim: 'NONE-10.1', outcome: 'release', summary: 'No.' }
    await callTool(wl, 'finish_task', release, other)
    await createTask(wl, 'NONE', { title: 'Asked about' })
    assert.equal((await wl.post('/v1/tasks/NONE-11/questions', { body: 'Which?' })).status, 201)
    const time = first.slice(11, 16)
    const expected =
      'No task is ready: 1 held by you, 1 held by others, 2 blocked, 1 waiting for an answer, 1 with attempts used up, ' +
      `2 not before ${time}, 1 assigned to others, 1 in progress without a claim. list_tasks shows them.`
    assert.equal(await ask(), expected)
    assert.equal((await callTool(wl, 'list_tasks', { project: 'NONE', ready: true }, mine)).text, expected)
    assert.equal(
      await ask({ labels: ['x', 'y'] }),
      'No task is ready: 1 held by you, 1 held by others. list_tasks shows them.',
    )
    const unknown = await ask({ labels: ['y', 'two words'] })
    assert.equal(unknown, 'No task is ready: no open task matches project NONE, label y or "two words".')

    const { text } = await callTool(wl, 'list_tasks', { project: 'NONE', status: 'todo' }, mine)
    assert.match(text, new RegExp(`^NONE-9 todo medium "A task" not before ${time}$`, 'm'))
    assert.match(text, /^NONE-10 todo medium "Tried" attempts used up$/m)
    await createProject(wl, { key: 'WORK' })
    await createTask(wl, 'WORK', { parentId: (await createTask(wl, 'WORK')).id })
    await callTool(wl, 'claim_task', { id: 'WORK-2' }, other)
    const { key } = await createKey(wl, { scopes, projectIds: ['WORK'] })
    const limited = (await callTool(wl, 'claim_task', {}, { key })).text
    assert.equal(limited, 'No task is ready: 1 held by others, 1 waiting for subtasks. list_tasks shows them.')
  })

  it('looks at a bounded number of tasks', async () => {
    await createProject(wl, { key: 'MANY' })
    const blocker = await createTask(wl, 'MANY', { status: 'in_progress' })
    const task = {
      method: 'POST',
      path: '/v1/tasks',
      body: { projectId: 'MANY', title: 'x', labels: ['many'], blockedBy: [] },
    }
    const parent = await createTask(wl, 'MANY', { blockedBy: [blocker.id] })
    const operations = Array.from({ length: 90 }, () => ({ ...task, body: { ...task.body, parentId: parent.id } }))
    for (let at = 0; at < 11; at++) assert.equal((await wl.post('/v1/batch', { operations })).status, 200)
    for (let at = 0; at < 12; at++) await createTask(wl, 'MANY', { labels: ['many'], blockedBy: [blocker.id] })
    const { text } = await callTool(wl, 'claim_task', { project: 'MANY' })
    assert.match(text, /^No task is ready: 1000\+ blocked, 1 in progress without a claim\./)
    assert.match((await callTool(wl, 'claim_task', { project: 'MANY', labels: ['many'] })).text, /: 1000\+ blocked\./)
    const { message } = (await wl.post('/v1/tasks/next', { label: 'many', priority: 'urgent' })).body
    assert.equal(message, 'No task is ready: none of 1000 tasks is open and matches label many, priority urgent.')
  })
})
