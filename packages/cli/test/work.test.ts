import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createKey, createProject, createTask } from 'worklore-testing/factories'
import { describeClient } from 'worklore-testing/service-suite'
import { userFor } from './wl.js'

describeClient('working on tasks with wl', (service) => {
  it('takes a task, and hands it in without naming it', async (test) => {
    const user = userFor(test, service)
    await createProject(service, { key: 'TAKE' })
    await createTask(service, 'TAKE', { title: 'Later', priority: 'low' })
    await createTask(service, 'TAKE', { title: 'First', priority: 'urgent' })
    const { data: task } = await user.json('next', '--claim', '-p', 'TAKE', '--worker', 'me', '--lease', '10m')
    assert.deepEqual([task.id, task.status, task.claim.worker], ['TAKE-2', 'in_progress', 'me'])
    assert.equal(Date.parse(task.claim.expiresAt) - Date.parse(task.claim.claimedAt), 600_000)
    const shown = await user.wl('show')
    assert.match(shown, /^TAKE-2 First\n\nstatus\tin_progress\n/)
    assert.ok(!shown.includes(task.claim.token))
    assert.match(await user.wl('comment', '-m', 'Half way'), /^cmt_\w+\n$/)
    assert.equal(await user.wl('renew', '--lease', '1h', '-q'), 'TAKE-2\n')
    const { data: done } = await user.json('done', '-m', 'It works')
    assert.deepEqual([done.status, done.claim, done.commentCount], ['done', null, 2])
    const none = await user.run(['done'])
    assert.deepEqual([none.code, none.stderr], [2, 'wl: Name a task: none is claimed in this folder.\n'])
    const { body } = await service.get('/v1/events?types=task.released')
    assert.equal(body.data.at(-1).via, 'cli')
  })

  it('clears the result of a task with none, whether it is claimed or not', async (test) => {
    const user = userFor(test, service)
    await createProject(service, { key: 'CLEAR' })
    for (const id of ['CLEAR-1', 'CLEAR-2']) {
      await createTask(service, 'CLEAR', { result: 'Old' })
      if (id === 'CLEAR-2') await user.wl('claim', id)
      assert.equal((await user.json('done', id, '--result', 'none')).data.result, null)
    }
  })

  it('names what a task needs for itself, and lists what claims reserve', async (test) => {
    const user = userFor(test, service)
    await createProject(service, { key: 'NEED' })
    const { data: task } = await user.json('add', 'First', '-p', 'NEED', '--resource', 'web/, all', '--resource', 'db')
    assert.deepEqual(task.resources, ['web/, all', 'db'])
    await createTask(service, 'NEED', { resources: ['db'] })
    assert.match(await user.wl('claim', 'NEED-1', '--worker', 'me'), /^resources\tweb\/, all, db$/m)
    const refused = await user.run(['claim', 'NEED-2'])
    assert.equal(refused.code, 5)
    assert.match(refused.stderr, /^wl: NEED-2 needs "db": NEED-1 reserves it, claimed by /)
    const { data: reserved } = await user.json('reservations', '-p', 'NEED')
    assert.deepEqual(
      reserved.map(({ resource, taskId, worker }: Record<string, string>) => [resource, taskId, worker]),
      [
        ['db', 'NEED-1', 'me'],
        ['web/, all', 'NEED-1', 'me'],
      ],
    )
    assert.match(await user.wl('reservations', '-p', 'NEED'), /^db\tNEED-1\tme\t[^\t]+\tFirst$/m)
    assert.deepEqual((await user.json('edit', 'NEED-1', '--resource', 'none')).data.resources, [])
    assert.equal(await user.wl('claim', 'NEED-2', '-q'), 'NEED-2\n')
  })

  it('moves a task to another project, and orders tasks', async (test) => {
    const user = userFor(test, service)
    for (const key of ['MVA', 'MVB']) await createProject(service, { key })
    for (let count = 0; count < 3; count++) await createTask(service, 'MVA')
    await createTask(service, 'MVB')
    const unnamed = await user.run(['mv', 'MVA-1'], { env: { WORKLORE_PROJECT: 'MVB' } })
    assert.deepEqual([unnamed.code, unnamed.stderr], [2, 'wl: Name the project to move it to with --project.\n'])
    assert.equal(await user.wl('mv', 'mva-1', '--project', 'MVB', '-q'), 'MVA-1\n')
    const again = await user.run(['mv', 'MVA-1', '-p', 'MVB'])
    assert.deepEqual([again.code, again.stderr], [5, 'wl: MVA-1 is already in project MVB.\n'])
    const order = async (project: string) =>
      (await user.wl('ls', '-p', project, '--sort', 'rank', '-q')).split('\n').slice(0, -1)
    assert.deepEqual(await order('MVB'), ['MVB-1', 'MVA-1'])
    await user.wl('rank', 'MVA-1', '--before', 'MVB-1')
    assert.deepEqual(await order('MVB'), ['MVA-1', 'MVB-1'])
    await user.wl('rank', 'MVA-3', '--top')
    await user.wl('rank', 'MVA-3', '--after', 'mva-2')
    assert.deepEqual(await order('MVA'), ['MVA-2', 'MVA-3'])
    await user.wl('rank', 'MVA-2', '--bottom')
    assert.deepEqual(await order('MVA'), ['MVA-3', 'MVA-2'])
    for (const options of [[], ['--top', '--bottom']]) {
      const refused = await user.run(['rank', 'MVA-2', ...options])
      assert.deepEqual([refused.code, refused.stderr], [2, 'wl: Use one of --before, --after, --top and --bottom.\n'])
    }
    assert.match((await user.run(['rank', 'MVA-2', '--before', 'MVB-1'])).stderr, /not found in this project/)
    // A task of another prefix is worked on like any other.
    assert.equal((await user.json('next', '--claim', '-p', 'MVB')).data.id, 'MVA-1')
    assert.equal((await user.json('done', '-m', 'Done there')).data.status, 'done')
    assert.equal(await user.wl('ls', '-p', 'MVB', '--created-by', 'me', '-q'), 'MVB-1\n')
  })

  it('shows the token of what it claims, and of nothing else', async (test) => {
    const user = userFor(test, service)
    await createProject(service, { key: 'SHOW' })
    await createTask(service, 'SHOW')
    await createTask(service, 'SHOW')
    assert.doesNotMatch(await user.wl('next', '-p', 'SHOW'), /^claim\t/m)
    assert.match(await user.wl('next', '--claim', '-p', 'SHOW'), /^claim\tSHOW-1\.\d+$/m)
    assert.match(await user.wl('claim', 'SHOW-2'), /^claim\tSHOW-2\.\d+$/m)
    const again = await user.run(['claim', 'SHOW-2'])
    assert.equal(again.code, 5)
    assert.match(again.stderr, / This key holds the claim: use its token, or add --takeover to replace it\.\n$/)
  })

  it('says that nothing is ready, and waits for what becomes so', async (test) => {
    const user = userFor(test, service)
    await createProject(service, { key: 'WAIT' })
    const none = await user.run(['next', '--claim', '-p', 'WAIT'])
    const stderr = 'No task is ready: no open task matches project WAIT.\n'
    assert.deepEqual(none, { code: 3, stdout: '', stderr })
    await createTask(service, 'WAIT', { status: 'in_progress', labels: ['x'] })
    await createTask(service, 'WAIT', { blockedBy: ['WAIT-1'], labels: ['x'] })
    const says = async (...words: string[]) => (await user.run(['next', '-p', 'WAIT', ...words])).stderr
    assert.equal(await says('--wait', '1s'), 'No task is ready: 1 blocked, 1 in progress without a claim.\n')
    assert.equal(await says('-l', 'y'), 'No task is ready: no open task matches project WAIT, label y.\n')
    const { message } = JSON.parse((await user.run(['next', '-p', 'WAIT', '-l', 'x', '--json'])).stdout)
    assert.equal(message, 'No task is ready: 1 blocked, 1 in progress without a claim.')
    const waiting = user.run(['next', '--claim', '-p', 'WAIT', '--wait', '30s', '-q'])
    setTimeout(() => createTask(service, 'WAIT'), 1_500)
    assert.deepEqual(await waiting, { code: 0, stdout: 'WAIT-3\n', stderr: '' })
  })

  it('acts under its claim, and only while that is its own', async (test) => {
    const user = userFor(test, service)
    await createProject(service, { key: 'LOST' })
    await createTask(service, 'LOST')
    await createTask(service, 'LOST')
    const key = (await createKey(service, { scopes: ['tasks:write'] })).key
    const env = { WORKLORE_KEY: key }
    await Promise.all([user.run(['claim', 'lost-1'], { env }), user.run(['claim', 'LOST-2'], { env })])
    const both = await user.run(['done'], { env })
    assert.deepEqual(
      [both.code, both.stderr],
      [2, 'wl: Several tasks are claimed in this folder: LOST-1, LOST-2. Name one.\n'],
    )
    const taken = await user.run(['claim', 'LOST-2', '--takeover', '-q'])
    assert.equal(taken.code, 0, taken.stderr)
    // The other key's claim is forgotten by nobody; the service knows.
    await service.post('/v1/tasks/LOST-1/claim', { takeover: true })
    const lost = await user.run(['done', 'LOST-1', '-m', 'Too late'], { env })
    assert.equal(lost.code, 5)
    assert.match(lost.stderr, /^wl: .*claim.*\n$/i)
    const { body } = await service.get('/v1/tasks/LOST-1')
    assert.deepEqual([body.data.status, body.data.commentCount], ['in_progress', 0])
    const refused = await user.run(['claim', 'LOST-1', '--json'], { env })
    assert.deepEqual([refused.code, JSON.parse(refused.stderr).error.reason], [5, 'claimed'])
    assert.equal((await user.json('release', 'LOST-2', '--not-before', '2h')).data.status, 'todo')
  })

  it('creates, changes, lists and draws tasks', async (test) => {
    const user = userFor(test, service)
    await createProject(service, { key: 'DRAW' })
    const env = { WORKLORE_PROJECT: 'DRAW' }
    const add = async (...words: string[]) => (await user.run(['add', ...words, '-q'], { env })).stdout.trim()
    const design = await add('Design', '-l', 'ui,web', '--due', '2030-01-31')
    const described = await user.run(['add', 'Build', '-d', '-', '--blocked-by', design.toLowerCase(), '--json'], {
      env,
      input: 'Line one\nLine two\n',
    })
    const build = JSON.parse(described.stdout).data
    assert.deepEqual([build.description, build.blockedBy, build.openBlockers], ['Line one\nLine two\n', [design], 1])
    const part = await add('Part', '--parent', build.id, '--priority', 'high')
    const tree = await user.run(['tree', build.id], { env })
    assert.equal(
      tree.stdout,
      `${build.id}  todo  Build\n│ ⧗ waits for ${design}  todo  Design\n└─ ${part}  todo  Part\n`,
    )
    const changed = await user.json('edit', part, '--title', 'A part', '--add-label', 'api', '--assignee', 'none')
    assert.deepEqual([changed.data.title, changed.data.labels], ['A part', ['api']])
    assert.equal((await user.json('unblock', build.id)).data.openBlockers, 0)
    assert.deepEqual((await user.json('block', build.id, design)).data.blockedBy, [design])
    const circle = await user.run(['block', design, build.id])
    assert.equal(circle.code, 5)
    assert.match(circle.stderr, /^wl: .+\n$/)
    const listed = await user.run(['ls', '--label', 'ui', '-p', 'DRAW'])
    assert.equal(listed.stdout, `${design}\ttodo\tmedium\t\tui,web\tDesign\n`)
    assert.equal((await user.run(['ls', '--ready', '-q', '-p', 'DRAW'])).stdout, `${design}\n`)
    const many = await user.json('ls', '-n', '2', '-p', 'DRAW')
    assert.deepEqual([many.data.length, many.pagination.limit, many.pagination.hasMore], [2, 2, true])
    const kept = await user.run(['rm', design])
    assert.deepEqual([kept.code, kept.stderr], [2, `wl: This deletes ${design}. Add --yes to confirm.\n`])
    assert.equal(await user.wl('rm', design, '--yes'), `${design}\n`)
    assert.equal((await user.run(['show', design])).code, 3)
  })

  it('stays within the pages of a long list', async (test) => {
    const user = userFor(test, service)
    await createProject(service, { key: 'LONG' })
    for (let batch = 0; batch < 3; batch++) {
      const operations = Array.from({ length: 50 }, (_, at) => ({
        method: 'POST',
        path: '/v1/tasks',
        body: { projectId: 'LONG', title: `Task ${at}` },
      }))
      assert.equal((await service.post('/v1/batch', { operations })).status, 200)
    }
    const ids = (await user.wl('ls', '-p', 'LONG', '-n', '130', '-q')).trim().split('\n')
    assert.deepEqual([ids.length, new Set(ids).size], [130, 130])
    const more = 'Only the first 50 are shown; use -n COUNT for more.\n'
    for (const words of [['-q'], []]) {
      const { stdout, stderr } = await user.run(['ls', '-p', 'LONG', ...words])
      assert.deepEqual([stdout.trim().split('\n').length, stderr], [50, more])
    }
    for (const words of [['--json'], ['-q', '-n', '130'], ['-q', '-n', '1']]) {
      assert.equal((await user.run(['ls', '-p', 'LONG', ...words])).stderr, '')
    }
    const history = await user.run(['history', '-p', 'LONG', '-q'])
    assert.match(history.stderr, /^Only the first 20 are shown; /)
    assert.equal((await user.json('ls', '-p', 'LONG', '-n', '130')).pagination.hasMore, true)
  })
})
