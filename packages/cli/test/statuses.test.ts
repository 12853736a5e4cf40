import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { createProject, createTask } from 'worklore-testing/factories'
import { addTenant } from 'worklore-testing/operator'
import { describeClient } from 'worklore-testing/service-suite'
import { createUser as createShellUser, userFor } from './wl.js'

const words = [
  'backlog:Backlog:todo',
  'dev:In dev:in_progress',
  'in_qa:In QA:in_review',
  'done:done',
  'dropped:cancelled',
]

const csv = (...rows: [id: string, status: string, completed?: string][]): string =>
  [
    'ID,Title,Status,Completed',
    ...rows.map(([id, status, completed = '']) => `${id},Task ${id},${status},${completed}`),
  ].join('\n')

describeClient('statuses of a project with wl', (service) => {
  it('are listed, set and filtered by', async (test) => {
    const user = userFor(test, service)
    await createProject(service, { key: 'STAT' })
    assert.match(await user.wl('statuses', 'STAT'), /^todo\ttodo\ttodo\n/m)
    await user.wl('statuses', 'STAT', ...words)
    assert.match(await user.wl('statuses', 'STAT'), /^in_qa\tin_review\tIn QA$/m)
    await user.wl('add', 'One', '-p', 'STAT', '--status', 'in_qa')
    assert.match(await user.wl('ls', '-p', 'STAT', '--status', 'in_qa'), /STAT-1\tin_qa\t/)
    assert.match(await user.wl('ls', '-p', 'STAT'), /STAT-1\tin_qa\t/)
    const refused = await user.run(['statuses', 'STAT', '--built-in'])
    assert.deepEqual([refused.code, /"in_qa" \(1\)/.test(refused.stderr)], [5, true])
    await user.wl('edit', 'STAT-1', '--status', 'done')
    await user.wl('statuses', 'STAT', '--built-in')
    writeFileSync(join(user.folder, 'statuses.json'), JSON.stringify([{ status: 'x', name: 'x', category: 'todo' }]))
    const missing = await user.run(['statuses', 'STAT', '--from', 'statuses.json'])
    assert.match(missing.stderr, /missing: in_progress, in_review, done, cancelled/)
    for (const word of ['dev', 'dev:x']) assert.notEqual((await user.run(['statuses', 'STAT', word])).code, 0)
  })

  it('of another tracker are shown and confirmed, never guessed in silence', async (test) => {
    const user = userFor(test, service)
    await createProject(service, { key: 'MOVE' })
    const file = join(user.folder, 'issues.csv')
    writeFileSync(
      file,
      csv(['E-1', 'In QA'], ['E-2', 'Waiting for legal'], ['E-3', 'Done'], ['E-4', 'Backlog'], ['E-5', 'In QA']),
    )
    const words = ['import', file, '--from', 'linear', '-p', 'MOVE']
    const refused = await user.run(words)
    assert.equal(refused.code, 2)
    assert.match(refused.stderr, /In QA → in_review \(2 tasks\)\n\s+Waiting for legal → todo \(1 task\)/)
    assert.doesNotMatch(refused.stderr, /Backlog|Done/)
    assert.match(refused.stderr, /--map "In QA=STATUS".*--yes/s)
    assert.equal((await service.get('/v1/tasks?projectId=MOVE')).body.data.length, 0)
    const { data: planned } = await user.json(...words, '--dry-run')
    assert.deepEqual(planned.statuses[0], {
      from: 'In QA',
      to: 'in_review',
      category: 'in_review',
      tasks: 2,
      isGuess: true,
    })
    const partly = await user.run([...words, '--map', 'in qa=in_progress'])
    assert.deepEqual([partly.code, /In QA/.test(partly.stderr.split('\n').slice(1, 3).join())], [2, false])
    for (const map of ['In QA=nowhere', 'Nothing=todo', 'In QA']) {
      assert.equal((await user.run([...words, '--map', map, '--yes'])).code, 2, map)
    }
    assert.equal((await service.get('/v1/tasks?projectId=MOVE')).body.data.length, 0)

    await user.wl(
      'statuses',
      'MOVE',
      'new:New:todo',
      'dev:in_progress',
      'qa:In QA:in_review',
      'done:done',
      'no:cancelled',
    )
    const done = await user.wl(...words, '--map', 'Waiting for legal=no')
    assert.match(done, /^statuses\tIn QA → qa \(2 tasks\)\n\tWaiting for legal → no \(1 task\)/m)
    const tasks = (await service.get('/v1/tasks?projectId=MOVE&sort=createdAt')).body.data
    const shown = tasks.map(
      ({ externalId, status }: { externalId: string; status: string }) => `${externalId} ${status}`,
    )
    assert.deepEqual(shown.sort(), ['E-1 qa', 'E-2 no', 'E-3 done', 'E-4 new', 'E-5 qa'])
  })

  it('are not guessed where two have the same name, and can be given to tasks without one', async (test) => {
    const user = userFor(test, service)
    await createProject(service, { key: 'TWICE' })
    await user.wl(
      'statuses',
      'TWICE',
      'new:todo',
      'a:In QA:in_progress',
      'b:In QA:in_review',
      'done:done',
      'no:cancelled',
    )
    const file = join(user.folder, 'twice.csv')
    writeFileSync(file, 'ID,Title,Status\nT-1,One,In QA\nT-2,Two,\n')
    const words = ['import', file, '--from', 'linear', '-p', 'TWICE']
    const refused = await user.run([...words, '--map', '=new'])
    assert.equal(refused.code, 2)
    assert.match(refused.stderr, /In QA/)
    await user.wl(...words, '--map', '=new', '--map', 'In QA=b')
    const tasks = (await service.get('/v1/tasks?projectId=TWICE&sort=createdAt')).body.data
    assert.deepEqual(tasks.map(({ status }: { status: string }) => status).sort(), ['b', 'new'])
  })

  it('come back from an export', async (test) => {
    const user = userFor(test, service)
    await createProject(service, { key: 'TRIP' })
    await user.wl('statuses', 'TRIP', ...words)
    await createTask(service, 'TRIP', { status: 'in_qa' })
    await createTask(service, 'TRIP', { status: 'dropped' })
    await user.wl('export', 'trip.jsonl', '-p', 'TRIP')
    const key = await addTenant(service, 'Elsewhere')
    const other = createShellUser(service.baseUrl, key)
    test.after(() => other.remove())
    await other.wl('import', join(user.folder, 'trip.jsonl'))
    const project = (await service.get('/v1/projects/TRIP', { key })).body.data
    assert.deepEqual(project.statuses, (await service.get('/v1/projects/TRIP')).body.data.statuses)
    const tasks = (await service.get('/v1/tasks?projectId=TRIP&sort=createdAt', { key })).body.data
    assert.deepEqual(
      tasks.map(({ status }: { status: string }) => status),
      ['in_qa', 'dropped'],
    )
    await createProject(service, { key: 'PLAIN' })
    await user.wl('import', 'trip.jsonl', '-p', 'PLAIN')
    const plain = (await service.get('/v1/tasks?projectId=PLAIN&sort=createdAt')).body.data
    assert.deepEqual(
      plain.map(({ status }: { status: string }) => status),
      ['in_review', 'cancelled'],
    )
  })
})
