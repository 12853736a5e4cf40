import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createProject, createTask, createUser, putItem } from 'worklore-testing/factories'
import type { TestTenant } from 'worklore-testing/harness'
import { addTenant } from 'worklore-testing/operator'
import { describeClient, describeClientService } from 'worklore-testing/service-suite'
import { createUser as createShellUser, userFor } from './wl.js'

const fixture = (name: string): string => fileURLToPath(new URL(`../../test/fixtures/${name}`, import.meta.url))

interface Task {
  id: string
  title: string
  description: string
  status: string
  externalId: string
  blockedBy: string[]
  parentId: string | null
  labels: string[]
  notBefore: string | null
  assignee: { name: string } | null
  metadata: { imported?: Record<string, unknown>; importPending?: number }
  commentCount: number
}

const tasksOf = async (service: TestTenant, project: string, key = service.adminKey): Promise<Map<string, Task>> => {
  const tasks = new Map<string, Task>()
  for (let cursor = ''; cursor !== null; ) {
    const { body } = await service.get(
      `/v1/tasks?projectId=${project}&limit=100&sort=createdAt${cursor && `&cursor=${cursor}`}`,
      { key },
    )
    for (const task of body.data) tasks.set(task.externalId ?? task.id, task)
    cursor = body.pagination.nextCursor
  }
  return tasks
}

const commentsOf = async (service: TestTenant, id: string, key = service.adminKey): Promise<string[]> =>
  (await service.get(`/v1/tasks/${id}/comments`, { key })).body.data.map(({ body }: { body: string }) => body)

const lastSequence = async (service: TestTenant): Promise<number> =>
  (await service.get('/v1/events?after=latest')).body.pagination.nextAfter

const lines = (...records: object[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join('')

describeClient('importing and exporting with wl', (service) => {
  it('reads what other tools write', async (test) => {
    const user = userFor(test, service)
    await createUser(service, { name: 'Ada', email: 'ada@example.com' })
    const projects = ['BEADS', 'BACK', 'GITH', 'LINE', 'PLAN']
    await Promise.all(projects.map((key) => createProject(service, { key })))
    const sources = ['beads', 'backlog', 'github.json', 'linear.csv', 'plane.csv']
    await Promise.all([
      ...sources.map((source, at) => user.wl('import', fixture(source), '-p', projects[at]!)),
      user.wl('import', fixture('vault'), '--prefix', 'vault'),
    ])

    const beads = await tasksOf(service, 'BEADS')
    assert.deepEqual([...beads.keys()], ['bd-a1b2', 'bd-a1b2.1', 'bd-c3d4'])
    const [epic, write, measure] = [...beads.values()] as [Task, Task, Task]
    assert.deepEqual([epic.status, epic.labels], ['done', ['perf', 'epic']])
    assert.equal(epic.description, `See ${measure.id} and bd-zzzz.\n\n## Design\n\nTwo levels.`)
    assert.deepEqual([write.parentId, write.blockedBy, write.assignee?.name], [epic.id, [measure.id], 'Ada'])
    assert.deepEqual([write.notBefore, write.metadata.importPending], [null, undefined])
    assert.equal(write.metadata.imported?.createdAt, '2025-01-02T03:04:05.000Z')
    assert.deepEqual(await commentsOf(service, write.id), [
      `*bob, 2025-01-05T00:00:00.000Z*\n\nWaits for ${measure.id}`,
    ])

    const backlog = await tasksOf(service, 'BACK')
    assert.equal(backlog.get('task-1')!.title, 'Set up: the "project"')
    assert.ok(backlog.get('task-1')!.description.includes(`begins with ${backlog.get('task-2')!.id}.`))
    assert.ok(!backlog.get('task-1')!.description.includes('<!--'))
    assert.deepEqual(backlog.get('task-2')!.blockedBy, [backlog.get('task-1')!.id])
    assert.equal(backlog.get('task-2.1')!.parentId, backlog.get('task-2')!.id)
    const guide = await service.get('/v1/knowledge/docs/doc-1%20-%20Guide?projectId=BACK')
    assert.equal(guide.body.data.content, '---\nid: doc-1\n---\n\n# A document\n')

    const github = await tasksOf(service, 'GITH')
    const old = github.get('acme/site#7')!
    assert.equal(old.status, 'cancelled')
    assert.equal(
      github.get('acme/site#12')!.description,
      `Same as ${old.id}, see https://github.com/acme/site/issues/7.`,
    )
    assert.equal(github.get('acme/site#12')!.metadata.imported?.author, 'carol')

    const linear = await tasksOf(service, 'LINE')
    const child = linear.get('ENG-2')!
    assert.deepEqual([child.title, child.status], ['=SUM is a title', 'done'])
    assert.ok(linear.get('ENG-1')!.description.startsWith('Line one, with "quotes"\nline two'))
    // A task that waits for its own part: that it is a part says so already.
    const whole = linear.get('ENG-1')!
    assert.deepEqual([whole.blockedBy, whole.assignee?.name, child.parentId], [[], 'Ada', whole.id])

    const plane = await tasksOf(service, 'PLAN')
    assert.deepEqual([plane.get('WEB-1')!.status, plane.get('WEB-2')!.status], ['todo', 'cancelled'])

    const home = await service.get('/v1/knowledge/vault/Home')
    assert.equal(home.body.data.content, readFileSync(join(fixture('vault'), 'Home.md'), 'utf8'))
    assert.equal((await service.get('/v1/knowledge/vault/.obsidian/hidden')).status, 404)

    const before = await lastSequence(service)
    const again = await user.json('import', fixture('beads'), '-p', 'BEADS')
    assert.deepEqual(again.data.tasks, { created: 0, reopened: 0, completed: 0, existing: 3, droppedLinks: [] })
    assert.equal(await lastSequence(service), before)
  })

  it('leaves what was in progress to be claimed, and drafts not', async (test) => {
    const user = userFor(test, service)
    await createProject(service, { key: 'DRAFT' })
    const write = (file: string, fields: Record<string, string>): void => {
      const path = join(user.folder, 'backlog', file)
      mkdirSync(dirname(path), { recursive: true })
      const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\n`)
      writeFileSync(path, `---\n${lines.join('')}---\n\nText\n`)
    }
    write('config.yml', {})
    write('tasks/task-1 - New.md', { id: 'task-1', title: 'New', status: 'In Progress', labels: '[web]' })
    write('tasks/task-2 - Next.md', { id: 'task-2', title: 'Next', status: 'To Do', dependencies: '[task-1]' })
    write('drafts/draft-1 - Idea.md', { id: 'draft-1', title: 'Idea', status: 'Draft' })
    // An id that is free again when its task goes to the archive, twice.
    write('archive/tasks/task-1 - Old.md', { id: 'task-1', title: 'Old', status: 'To Do' })
    write('archive/tasks/task-1 - Older.md', { id: 'task-1', title: 'Older', status: 'To Do' })
    write('archive/tasks/task-1.1 - Part.md', { id: 'task-1.1', title: 'Part', status: 'To Do' })
    write('archive/tasks/task-9 - Last.md', { id: 'task-9', title: 'Last', status: 'To Do' })

    const report = await user.wl('import', '.', '-p', 'DRAFT')
    assert.match(report, /^tasks\t7 created, .*\n\t1 in progress: todo, with the label was-in-progress\n/)
    assert.doesNotMatch(report, /left out/)
    const tasks = await tasksOf(service, 'DRAFT')
    const [begun, next, draft] = ['task-1', 'task-2', 'draft-1'].map((id) => tasks.get(id)!)
    assert.deepEqual([begun!.title, begun!.status, begun!.labels], ['New', 'todo', ['was-in-progress', 'web']])
    assert.equal(begun!.metadata.imported?.status, 'in_progress')
    assert.deepEqual(next!.blockedBy, [begun!.id])
    assert.deepEqual([draft!.status, draft!.labels], ['cancelled', ['draft']])
    const old = [...tasks.values()].filter(({ externalId }) => externalId.startsWith('archive/'))
    assert.deepEqual(
      old.map(({ externalId, title, status }) => [externalId, title, status]),
      [
        ['archive/task-1 - Old', 'Old', 'cancelled'],
        ['archive/task-1 - Older', 'Older', 'cancelled'],
      ],
    )
    assert.equal(tasks.get('task-1.1')!.parentId, old.at(-1)!.id)

    const refused = await user.run(['claim', draft!.id])
    assert.deepEqual([refused.code, /is cancelled/.test(refused.stderr)], [5, true])
    assert.equal(await user.wl('next', '--claim', '-p', 'DRAFT', '-q'), `${begun!.id}\n`)
    assert.equal((await user.run(['next', '--claim', '-p', 'DRAFT'])).code, 3)
    const again = await user.json('import', '.', '-p', 'DRAFT')
    assert.deepEqual([again.data.tasks.created, again.data.tasks.existing], [0, 7])
  })

  it('tells in a dry run which links it would leave out', async (test) => {
    const user = userFor(test, service)
    await createProject(service, { key: 'LINKS' })
    const issue = (id: string, blockers: string[], parent?: string) => ({
      id,
      title: `Issue ${id}`,
      dependencies: [
        ...blockers.map((on) => ({ depends_on_id: on, type: 'blocks' })),
        ...(parent ? [{ depends_on_id: parent, type: 'parent-child' }] : []),
      ],
    })
    const issues = [
      issue('bd-1', ['bd-3', 'bd-gone']),
      issue('bd-2', ['bd-1']),
      issue('bd-3', ['bd-2']),
      issue('bd-4', ['bd-4']),
      issue('bd-5', [], 'bd-none'),
      issue('bd-6', ['bd-7']),
      issue('bd-7', [], 'bd-6'),
      issue('bd-8', ['bd-1', 'bd-2'], 'bd-5'),
    ]
    writeFileSync(join(user.folder, 'links.jsonl'), lines(...issues))
    const planned = (await user.json('import', 'links.jsonl', '-p', 'LINKS', '--dry-run')).data.droppedLinks
    assert.equal((await tasksOf(service, 'LINKS')).size, 0)
    const text = await user.wl('import', 'links.jsonl', '-p', 'LINKS', '--dry-run')
    assert.match(text, new RegExp(`^links\\t${planned.length} left out\\n\\t`, 'm'))
    const done = (await user.json('import', 'links.jsonl', '-p', 'LINKS')).data.droppedLinks
    // The same links, told by the old ids before and by the new ones after, in the order in which they are found.
    const ownersOf = (dropped: string[]): string[] => dropped.map((line) => line.split(/[ :]/)[0]!).sort()
    assert.deepEqual(ownersOf(planned), ownersOf(done), `${planned.join('\n')}\n\n${done.join('\n')}`)
    assert.ok(planned.includes('bd-1 → bd-gone: not in the import'))
    assert.ok(planned.includes('bd-4: would wait for itself: bd-4 → bd-4'))
    const after = await user.json('import', 'links.jsonl', '-p', 'LINKS', '--dry-run')
    assert.deepEqual(after.data.droppedLinks, [])
  })

  it('takes back what it wrote, as a file and as a folder', async (test) => {
    const user = userFor(test, service)
    const { id } = await createProject(service, { key: 'TRIP', name: 'Round trip', maxAttempts: 7 })
    const first = await createTask(service, 'TRIP', { title: 'One', labels: ['a'], metadata: { own: 1 } })
    await createTask(service, 'TRIP', { title: 'Two', description: `After ${first.id}`, blockedBy: [first.id] })
    await service.post(`/v1/tasks/${first.id}/comments`, { body: 'See TRIP-2' })
    await createProject(service, { key: 'CAME' })
    const came = await createTask(service, 'CAME', { title: 'Moved here' })
    await service.post(`/v1/tasks/${came.id}/move`, { projectId: id })
    const content = '---\ntitle: own front matter\n---\nText \u2028 with\ttabs and "quotes"\r\n'
    await putItem(service, 'trip/note', content, { projectId: id })
    await putItem(service, 'trip/Note', 'Differs by a capital', { projectId: id })
    await putItem(service, 'trip/.odd:%20name%3F', 'Odd', { projectId: id })

    await Promise.all(['out.jsonl', 'out'].map((target) => user.wl('export', target, '-p', 'TRIP')))
    assert.deepEqual(readdirSync(user.folder).sort(), ['out', 'out.jsonl'])
    const files = readdirSync(join(user.folder, 'out/notes/TRIP/trip')).sort()
    assert.equal(files.length, 3)
    assert.ok(
      files.includes('%2eodd%3a name%3f.md') && files.some((file) => /^[nN]ote~\w+\.md$/.test(file)),
      files.join(),
    )

    for (const source of ['out.jsonl', 'out']) {
      const key = await addTenant(service)
      const other = createShellUser(service.baseUrl, key)
      test.after(() => other.remove())
      const path = join(user.folder, source)
      const planned = await other.json('import', path, '--dry-run')
      assert.deepEqual(
        [planned.data.projects, planned.data.tasks.created, planned.data.notes.created],
        [{ created: 1 }, 3, 3],
      )
      await other.wl('import', path)
      const project = (await service.get('/v1/projects/TRIP', { key })).body.data
      assert.deepEqual([project.name, project.maxAttempts], ['Round trip', 7])
      const tasks = await tasksOf(service, 'TRIP', key)
      assert.equal(tasks.get('CAME-1')?.title, 'Moved here')
      const [one, two] = [tasks.get('TRIP-1')!, tasks.get('TRIP-2')!]
      assert.deepEqual([two.description, two.blockedBy], [`After ${one.id}`, [one.id]])
      assert.equal((one.metadata as { own?: number }).own, 1)
      assert.match((await commentsOf(service, one.id, key))[0]!, new RegExp(`^\\*admin, .*Z\\*\\n\\nSee ${two.id}$`))
      const note = await service.get('/v1/knowledge/trip/note?projectId=TRIP', { key })
      assert.equal(note.body.data.content, content)
      const odd = await service.get('/v1/knowledge/trip/.odd:%20name%3F?projectId=TRIP', { key })
      assert.equal(odd.body.data.content, 'Odd')
    }
  })

  /** Issues that each wait for the one before, with comments. */
  const chainOfIssues = (length: number) =>
    Array.from({ length }, (_, at) => ({
      id: `bd-${at}`,
      title: `Issue ${at}`,
      description: `Next is bd-${at + 1}`,
      status: 'open',
      priority: at % 5,
      dependencies: at === 0 ? [] : [{ depends_on_id: `bd-${at - 1}`, type: 'blocks' }],
      comments: Array.from({ length: at === 3 ? 45 : at % 3 }, (_, number) => ({
        author: 'ada',
        text: `Comment ${number}`,
      })),
    }))

  const expectImported = async (project: string, issues: ReturnType<typeof chainOfIssues>): Promise<void> => {
    const tasks = await tasksOf(service, project)
    assert.equal(tasks.size, issues.length)
    for (const [at, { id }] of issues.entries()) {
      const task = tasks.get(id)!
      assert.deepEqual([task.metadata.importPending, task.notBefore], [undefined, null], id)
      assert.deepEqual(task.blockedBy, at === 0 ? [] : [tasks.get(`bd-${at - 1}`)!.id])
      assert.equal(task.description, `Next is ${tasks.get(`bd-${at + 1}`)?.id ?? `bd-${at + 1}`}`)
      assert.equal(task.commentCount, at === 3 ? 45 : at % 3, id)
    }
    const said = await commentsOf(service, tasks.get('bd-3')!.id)
    assert.deepEqual(
      said,
      Array.from({ length: 45 }, (_, number) => `*ada*\n\nComment ${number}`),
    )
  }

  it('writes nothing twice when two imports run at once', async (test) => {
    const user = userFor(test, service)
    await createProject(service, { key: 'TWICE' })
    const issues = chainOfIssues(120)
    writeFileSync(join(user.folder, 'issues.jsonl'), lines(...issues))
    const reports = await Promise.all([0, 1].map(() => user.json('import', 'issues.jsonl', '-p', 'TWICE')))
    assert.equal(
      reports.reduce((sum, { data }) => sum + data.tasks.created, 0),
      120,
    )
    await expectImported('TWICE', issues)
  })

  it('goes on where it was killed, and writes nothing twice', async (test) => {
    const user = userFor(test, service)
    await createProject(service, { key: 'KILL' })
    const issues = chainOfIssues(400)
    writeFileSync(join(user.folder, 'issues.jsonl'), lines(...issues))
    const importing = user.start(['import', 'issues.jsonl', '-p', 'KILL'])
    const count = async (): Promise<number> =>
      (await service.get('/v1/tasks?projectId=KILL&limit=1')).body.pagination.total
    while ((await count()) < 150) await pause(5)
    importing.child.kill('SIGKILL')
    await importing.ended
    assert.ok(
      (await count()) < 400 ||
        [...(await tasksOf(service, 'KILL')).values()].some(({ metadata }) => metadata.importPending !== undefined),
    )
    // What is not complete is not handed out.
    const ready = (await service.get('/v1/tasks?projectId=KILL&ready=true&limit=100')).body.data
    assert.ok(ready.length <= 1, `${ready.length} are ready`)

    const { data } = await user.json('import', 'issues.jsonl', '-p', 'KILL')
    assert.equal(data.tasks.created + data.tasks.existing + data.tasks.completed >= 400, true)
    await expectImported('KILL', issues)
  })

  it('tells wrong lines by their number, and leaves them out only when told to', async (test) => {
    const user = userFor(test, service)
    await createProject(service, { key: 'BAD' })
    const good = { id: 'bd-1', title: 'Good', status: 'open' }
    writeFileSync(
      join(user.folder, 'bad.jsonl'),
      `${lines(good)}{"id":"bd-2",\n\n${lines({ id: 'bd-3' }, { id: 'bd-4', title: 'x'.repeat(501) }, good, { id: 'bd-5', title: 'Last' })}`,
    )
    const refused = await user.run(['import', 'bad.jsonl', '-p', 'BAD'])
    assert.equal(refused.code, 1)
    assert.deepEqual(refused.stderr.trim().split('\n'), [
      'wl: bad.jsonl:2: is not valid JSON',
      'wl: bad.jsonl:4: title is missing',
      'wl: bad.jsonl:5: title is longer than 500 characters',
      'wl: bad.jsonl:6: is there twice; first at bad.jsonl:1',
      'wl: 4 records are wrong; nothing was imported. Correct them, or leave them out with --skip-bad.',
    ])
    assert.equal((await tasksOf(service, 'BAD')).size, 0)
    const { data } = await user.json('import', 'bad.jsonl', '-p', 'BAD', '--skip-bad')
    assert.deepEqual([data.tasks.created, data.bad.length], [2, 4])
    assert.deepEqual([...(await tasksOf(service, 'BAD')).keys()], ['bd-1', 'bd-5'])
  })

  it('says in one line why an export or import cannot be', async (test) => {
    const user = userFor(test, service)
    await createProject(service, { key: 'WHY' })
    await putItem(service, 'why/large', 'x'.repeat(200_000))
    mkdirSync(join(user.folder, 'full'))
    writeFileSync(join(user.folder, 'full/x'), '')
    writeFileSync(join(user.folder, 'x.csv'), 'a,b\n1,2\n')
    const expected: [words: string[], code: number, line: RegExp][] = [
      [['export', '/dev/full'], 1, /^wl: \/dev\/full: no space left on device\.\n$/],
      [['export', 'full'], 1, /^wl: full is not empty\./],
      [['export', 'none/such.jsonl'], 1, /^wl: none\/such\.jsonl\.part: no such file or directory\.\n$/],
      [['import', 'nothing.jsonl'], 1, /^wl: nothing\.jsonl: no such file or directory\.\n$/],
      [['import', 'x.csv', '-p', 'WHY'], 1, /^wl: x\.csv is not a linear export: it has no column "ID"\.\n$/],
      [['import', 'full', '--from', 'bead'], 2, /^wl: Unknown format "bead"\. Did you mean beads\?\n$/],
      [['import', fixture('beads')], 2, /^wl: Name the project for the tasks with --project\.\n$/],
      [['import', fixture('beads'), '-p', 'NONE'], 3, /^wl: Project NONE not found\./],
    ]
    await Promise.all(
      expected.map(async ([words, code, line]) => {
        const outcome = await user.run(words)
        assert.equal(outcome.code, code, `${words.join(' ')}: ${outcome.stderr}`)
        assert.match(outcome.stderr, line)
      }),
    )
    assert.ok(!existsSync(join(user.folder, 'none')))
  })
})

describeClientService(
  'importing with wl on a plan with limits',
  (service) => {
    it('sends as much as is allowed, and waits for the rest', async (test) => {
      const user = userFor(test, service)
      await createProject(service, { key: 'SLOW' })
      const issues = Array.from({ length: 75 }, (_, at) => ({ id: `bd-${at}`, title: `Issue ${at}`, status: 'open' }))
      writeFileSync(join(user.folder, 'issues.jsonl'), lines(...issues))
      // Of the window that this test opened little is left, which passes while the command waits.
      service.passTime(54_000)
      const { child, ended } = user.start(['import', 'issues.jsonl', '-p', 'SLOW'])
      child.stderr!.on('data', () => service.passTime(10_000))
      const { code, stdout, stderr } = await ended
      assert.equal(code, 0, stderr)
      assert.match(stdout, /^tasks\t75 created, /)
      assert.match(stderr, /^(Waiting \d s: .*\n)+$/)
    })
  },
  { config: { plan: 'free' }, isTimeStill: true },
)
