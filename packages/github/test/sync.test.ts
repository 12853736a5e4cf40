import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { NotFoundError } from 'worklore-client'
import { createTask, createUser } from 'worklore-testing/factories'
import { describeClient } from 'worklore-testing/service-suite'
import { linkOf } from '../src/sync/link.js'
import { positionKey } from '../src/sync/position-item.js'
import { type Bridged, bridgedFor } from './bridged.js'

const tasksOf = async ({ wl, project }: Bridged) => {
  const { data } = await wl.tasks.list({ projectId: project.id, sort: 'createdAt', limit: 100 })
  return data
}

const commentsOf = async ({ wl }: Bridged, id: string): Promise<string[]> => {
  const { data } = await wl.tasks.comments(id).list({ limit: 100 })
  return data.map(({ body }) => body)
}

describeClient('wl-github', (tenant) => {
  it('imports issues with their state, labels, milestone, assignee and comments', async (test) => {
    const ada = await createUser(tenant, { name: 'Ada', handle: 'ada' })
    const bridged = await bridgedFor(test, tenant, 'IMPORT', { assignable: ['ada'] })
    const { stub, run, sent } = bridged
    stub.create({
      title: 'Crash',
      body: 'It crashes.\r\nOften.',
      labels: ['bug', 'a,b'],
      assignees: ['zoe', 'ada'],
      milestone: '1.0',
    })
    stub.create({ title: 'Done', state: 'closed', reason: 'completed' })
    stub.create({ title: 'Dropped', state: 'closed', reason: 'not_planned' })
    stub.comment(1, 'Me too')
    await run()
    const [crash, done, dropped] = await tasksOf(bridged)
    assert.equal(crash!.description, 'It crashes.\r\nOften.')
    assert.deepEqual(
      [crash!.externalId, crash!.labels, crash!.assignee?.id],
      ['acme/import#1', ['bug', 'milestone:1.0'], ada.id],
    )
    assert.deepEqual([crash!.status, done!.status, dropped!.status], ['todo', 'done', 'cancelled'])
    assert.match(
      (await commentsOf(bridged, crash!.id)).join(),
      /^\*\*octocat\*\* on \[GitHub\]\(.*\):\n\nMe too\n\n<!-- github:1 \w+ -->$/,
    )
    await run()
    assert.equal(sent.writes, 0)
    assert.deepEqual(sent, { github: 4, worklore: 4, writes: 0, positions: 0 })
    assert.equal(stub.writes, 0)
  })

  it('creates issues for tasks, closes them, and sends comments', async (test) => {
    const bridged = await bridgedFor(test, tenant, 'EXPORT')
    const { stub, wl, project, run, sent } = bridged
    const task = await createTask(tenant, project.id, { title: 'Write it', description: 'Soon', labels: ['docs'] })
    const closed = await createTask(tenant, project.id, { title: 'Old', status: 'cancelled' })
    await wl.tasks.comments(task.id).create({ body: 'First words' })
    await run()
    assert.equal(stub.issues.get(1)!.body, `Soon\n\n<!-- worklore:${task.id} -->`)
    assert.deepEqual([stub.issues.get(2)!.state, stub.issues.get(2)!.reason], ['closed', 'not_planned'])
    assert.match(
      [...stub.comments.values()][0]!.body,
      /^\*\*.*\*\* on Worklore:\n\nFirst words\n\n<!-- worklore:cmt_\w+ \w+ -->$/,
    )
    await wl.tasks.update(closed.id, { status: 'todo' })
    await wl.tasks.update(task.id, { title: 'Write it well', status: 'done', labels: ['docs', 'now'] })
    await run()
    assert.deepEqual([stub.issues.get(1)!.title, stub.issues.get(1)!.state], ['Write it well', 'closed'])
    assert.deepEqual(stub.issues.get(1)!.labels, ['docs', 'now'])
    assert.equal(stub.issues.get(2)!.state, 'open')
    await run()
    assert.deepEqual([sent.writes, stub.issues.size, stub.comments.size], [0, 2, 1])
    assert.equal((await tasksOf(bridged)).length, 2)
  })

  it('lets the newer change of a field win and names the other one', async (test) => {
    const bridged = await bridgedFor(test, tenant, 'CONFLICT')
    const { stub, wl, run } = bridged
    stub.create({ title: 'One', body: 'a' })
    await run()
    const [task] = await tasksOf(bridged)
    await wl.tasks.update(task!.id, { title: 'Ours', description: 'Our text' })
    stub.passTime(-3_600_000)
    stub.edit(1, { title: 'Theirs' })
    stub.passTime(7_200_000)
    stub.edit(1, { body: 'Their text', labels: ['x'] })
    await run()
    const [after] = await tasksOf(bridged)
    assert.deepEqual([after!.title, after!.description, after!.labels], ['Ours', 'Their text', ['x']])
    assert.deepEqual([stub.issues.get(1)!.title, stub.issues.get(1)!.body], ['Ours', 'Their text'])
    const comments = await commentsOf(bridged, task!.id)
    assert.equal(comments.length, 2)
    assert.match(comments.join(), /The title was changed on both sides .* Worklore .*replaced:\n\n> Theirs/s)
    assert.match(comments.join(), /The description was changed on both sides .* GitHub .*replaced:\n\n> Our text/s)
    assert.equal(stub.comments.size, 2)
  })

  it('follows edits of comments on either side', async (test) => {
    const bridged = await bridgedFor(test, tenant, 'EDITS')
    const { stub, wl, run, sent } = bridged
    stub.create({ title: 'One' })
    const theirs = stub.comment(1, 'Their words')
    await run()
    const [task] = await tasksOf(bridged)
    const ours = await wl.tasks.comments(task!.id).create({ body: 'Our words' })
    await run()
    const copyThere = [...stub.comments.values()].find(({ author }) => author === stub.bot)!
    stub.editComment(theirs.id, 'Their better words')
    stub.editComment(copyThere.id, copyThere.body.replace('Our words', 'Our words, corrected there'))
    await run()
    assert.match((await commentsOf(bridged, task!.id)).join(), /Their better words.*Our words, corrected there/s)
    const { data } = await wl.tasks.comments(task!.id).list()
    const copyHere = data.find(({ id }) => id !== ours.id)!
    await wl.tasks.comments(task!.id).update(copyHere.id, { body: copyHere.body.replace('better', 'best') })
    await wl.tasks.comments(task!.id).update(ours.id, { body: 'Our last words' })
    await run()
    assert.equal(stub.comments.get(theirs.id)!.body, 'Their best words')
    assert.match(stub.comments.get(copyThere.id)!.body, /\n\nOur last words\n\n/)
    await run()
    assert.deepEqual([sent.writes, stub.comments.size, (await commentsOf(bridged, task!.id)).length], [0, 2, 2])
  })

  it('finds a task that was moved to another project', async (test) => {
    const bridged = await bridgedFor(test, tenant, 'MOVED')
    const { stub, wl, run } = bridged
    const other = await tenant.post('/v1/projects', { key: 'ELSEWHERE', name: 'x' })
    stub.create({ title: 'One' })
    await run()
    const [task] = await tasksOf(bridged)
    await wl.tasks.move(task!.id, other.body.data.id)
    stub.edit(1, { title: 'Two' })
    await run()
    assert.equal((await wl.tasks.get(task!.id)).title, 'Two')
    assert.equal((await tasksOf(bridged)).length, 0)
  })

  it('does not take a claimed task and does not pass over checks', async (test) => {
    const bridged = await bridgedFor(test, tenant, 'GATES')
    const { stub, wl, run, refusals } = bridged
    stub.create({ title: 'Claimed' })
    stub.create({ title: 'Checked' })
    await run()
    const [claimed, checked] = await tasksOf(bridged)
    const claim = await wl.tasks.claim(claimed!.id)
    await wl.tasks.update(checked!.id, { checks: [{ text: 'It works' }] })
    stub.edit(1, { state: 'closed', reason: 'completed', title: 'Claimed, renamed' })
    stub.edit(2, { state: 'closed', reason: 'completed' })
    await run()
    const [first, second] = await tasksOf(bridged)
    assert.deepEqual([first!.title, first!.status, second!.status], ['Claimed, renamed', 'in_progress', 'todo'])
    assert.ok(first!.claim)
    assert.match(refusals.map(({ reason }) => reason).join('\n'), /is claimed.*cannot be done/is)
    assert.deepEqual([stub.issues.get(1)!.state, stub.issues.get(2)!.state], ['closed', 'closed'])
    await claim.release({ status: 'todo' })
    await wl.tasks.decideCheck(checked!.id, 'c1', { state: 'passed', evidence: 'seen' })
    await run()
    assert.deepEqual(
      (await tasksOf(bridged)).map(({ status }) => status),
      ['done', 'done'],
    )
  })

  it('shows pull requests on the tasks they name, and finishes tasks when they are merged', async (test) => {
    const bridged = await bridgedFor(test, tenant, 'PULLS')
    const { stub, wl, project, run } = bridged
    stub.create({ title: 'An issue' })
    const task = await createTask(tenant, project.id, { title: 'A task' })
    const pull = {
      draft: false,
      mergedAtMs: null,
      reviews: [['zoe', 'APPROVED'] as [string, string]],
      checks: ['success', null],
    }
    await run()
    const number = stub.create({ title: 'Fix', body: `Fixes ${task.id}, see #1, UTF-8 and #999`, pull }).number
    await run({ onMerge: 'done' })
    const key = `${stub.repo}#${number}`
    const linked = linkOf(await wl.tasks.get(task.id)).pulls![key]!
    assert.deepEqual([linked.state, linked.checks, linked.closes], ['approved', 'pending', true])
    const [issueTask] = (await wl.tasks.list({ externalId: `${stub.repo}#1` })).data
    assert.equal(linkOf(issueTask!).pulls![key]!.closes, false)
    stub.edit(number, { state: 'closed', pull: { ...pull, mergedAtMs: Date.now() } })
    await run({ onMerge: 'done' })
    const merged = await wl.tasks.get(task.id)
    const { state, checks } = linkOf(merged).pulls![key]!
    assert.deepEqual([merged.status, state, checks], ['done', 'merged', 'pending'])
    await wl.tasks.update(task.id, { status: 'todo' })
    await run({ onMerge: 'done' })
    assert.equal((await wl.tasks.get(task.id)).status, 'todo')
    assert.equal((await wl.tasks.get(issueTask!.id)).status, 'todo')
  })

  it('takes pull requests off tasks that they no longer name', async (test) => {
    const bridged = await bridgedFor(test, tenant, 'UNNAMED')
    const { stub, wl, project, run, sent } = bridged
    const one = await createTask(tenant, project.id, { title: 'One' })
    const two = await createTask(tenant, project.id, { title: 'Two' })
    await run()
    const pull = { draft: false, mergedAtMs: null, reviews: [], checks: [] }
    const { number } = stub.create({ title: 'Fix', body: `See ${one.id} and ${two.id}`, pull })
    const shownOn = async () => {
      const links = [linkOf(await wl.tasks.get(one.id)), linkOf(await wl.tasks.get(two.id))]
      return links.map(({ pulls = {} }) => Object.keys(pulls).length)
    }
    await run()
    assert.deepEqual(await shownOn(), [1, 1])
    stub.edit(number, { body: `See ${two.id}` })
    await run()
    assert.deepEqual(await shownOn(), [0, 1])
    stub.edit(number, { body: 'See nothing' })
    await run()
    assert.deepEqual(await shownOn(), [0, 0])
    await run()
    assert.equal(sent.writes, 0)
    // Also after a run that was killed, or failed, when it had shown them.
    for (let killAt = 1, isKilled = true; isKilled; killAt++) {
      stub.edit(number, { body: `See ${one.id}` })
      await run({ killAt })
      isKilled = sent.github + sent.worklore === killAt - 1
      stub.edit(number, { body: `See ${two.id}` })
      await run()
      assert.deepEqual(await shownOn(), [0, 1], `killed at ${killAt}`)
    }
    stub.edit(number, { body: `See ${one.id}` })
    await createTask(tenant, project.id, { title: 'Three' })
    let isDown = false
    stub.onRequest((method) => {
      isDown ||= method === 'POST'
      return isDown ? { status: 503, body: { message: 'Down' } } : undefined
    })
    await assert.rejects(run())
    stub.onRequest(() => undefined)
    assert.deepEqual(await shownOn(), [1, 0])
    stub.edit(number, { body: `See ${two.id}` })
    await run()
    assert.deepEqual(await shownOn(), [0, 1])
  })

  it('carries deletions over only where it is told to', async (test) => {
    const bridged = await bridgedFor(test, tenant, 'DELETES')
    const { stub, wl, run, sent, actions } = bridged
    for (const title of ['One', 'Two', 'Three', 'Four']) stub.create({ title })
    stub.comment(4, 'Theirs')
    await run()
    const [one, two, , four] = await tasksOf(bridged)
    const ours = await wl.tasks.comments(four!.id).create({ body: 'Ours' })
    await run({ withDeletions: true })
    await wl.tasks.delete(one!.id)
    stub.deleteIssue(2)
    await run({ isFull: true })
    await run()
    assert.deepEqual(
      actions.filter(({ action }) => action === 'issue.left').map(({ issue, task }) => [issue, task]),
      [[1, one!.id]],
    )
    assert.equal(stub.issues.get(1)!.state, 'open')
    assert.equal(linkOf(await wl.tasks.get(two!.id)).deleted, true)
    assert.equal((await tasksOf(bridged)).length, 3)
    stub.edit(1, { title: 'One again' })
    await run({ withDeletions: true })
    assert.equal((await tasksOf(bridged)).length, 3)
    // The deletion that an earlier run saw and left is carried over, once.
    assert.deepEqual([stub.issues.get(1)!.state, stub.issues.get(1)!.reason], ['closed', 'not_planned'])
    stub.edit(1, { state: 'open' })
    await run({ withDeletions: true })
    assert.equal(stub.issues.get(1)!.state, 'open')

    const [, three] = await tasksOf(bridged)
    await wl.tasks.delete(three!.id)
    for (const { id } of [...stub.comments.values()]) stub.deleteComment(id)
    stub.deleteIssue(2)
    await run({ isFull: true, withDeletions: true })
    await run({ withDeletions: true })
    assert.deepEqual([stub.issues.get(3)!.state, stub.issues.get(3)!.reason], ['closed', 'not_planned'])
    assert.deepEqual(await commentsOf(bridged, four!.id), [], ours.id)
    await assert.rejects(wl.tasks.get(two!.id), NotFoundError)
    await run({ withDeletions: true })
    assert.equal(sent.writes, 0)
  })

  it('brings a task that was deleted and restored up to date', async (test) => {
    const bridged = await bridgedFor(test, tenant, 'RESTORED')
    const { stub, wl, run, sent } = bridged
    stub.create({ title: 'One' })
    const first = stub.comment(1, 'First')
    await run()
    const [task] = await tasksOf(bridged)
    await wl.tasks.comments(task!.id).create({ body: 'Ours' })
    await run()
    await wl.tasks.delete(task!.id)
    await run()
    stub.edit(1, { title: 'One, renamed', state: 'closed', reason: 'completed' })
    stub.editComment(first.id, 'First, corrected')
    stub.comment(1, 'Second')
    // The lists of changes do not reach back to what is so old.
    stub.passTime(3_600_000)
    stub.create({ title: 'Two' })
    stub.comment(2, 'Later')
    await run()
    await run()
    const { data: deleted } = await wl.trash.list()
    await wl.trash.restore(deleted.find((entry) => entry.task === task!.id)!.id)
    await run()
    const restored = await wl.tasks.get(task!.id)
    assert.deepEqual([restored.title, restored.status], ['One, renamed', 'done'])
    assert.match((await commentsOf(bridged, task!.id)).join(), /First, corrected.*Ours.*Second/s)
    await run()
    assert.deepEqual([sent.writes, stub.comments.size, restored.commentCount], [0, 4, 3])
  })

  it('leaves an issue alone that was transferred to another repository', async (test) => {
    const bridged = await bridgedFor(test, tenant, 'TRANSFER')
    const elsewhere = await bridgedFor(test, tenant, 'TARGET')
    const { stub, wl, run, actions, sent } = bridged
    for (const title of ['One', 'Two']) stub.create({ title })
    elsewhere.stub.create({ title: 'Another' })
    elsewhere.stub.create({ title: 'One' })
    await run()
    const [one] = await tasksOf(bridged)
    stub.transfer(1, `${elsewhere.stub.baseUrl}/repos/${elsewhere.stub.repo}/issues/2`)
    await wl.tasks.update(one!.id, { title: 'One, changed here' })
    await wl.tasks.comments(one!.id).create({ body: 'Said here' })
    await run({ withDeletions: true })
    await run({ withDeletions: true, isFull: true })
    assert.deepEqual([elsewhere.stub.writes, stub.issues.get(2)!.title], [0, 'Two'])
    const [first, second] = await tasksOf(bridged)
    assert.deepEqual([first!.title, second!.title], ['One, changed here', 'Two'])
    assert.deepEqual([first!.externalId, linkOf(first!).deleted], ['acme/transfer#1', true])
    assert.ok(actions.some(({ action, issue }) => action === 'issue.gone' && issue === 1))
    await run()
    assert.equal(sent.writes, 0)
  })

  it('does nothing in a dry run but say what it would do', async (test) => {
    const bridged = await bridgedFor(test, tenant, 'DRY')
    const { stub, project, run, actions, sent } = bridged
    stub.create({ title: 'One' })
    await createTask(tenant, project.id, { title: 'Two' })
    await run({ isDryRun: true })
    assert.deepEqual([sent.writes, actions.map(({ action }) => action)], [0, ['task.created', 'issue.created']])
  })

  it('tells in a dry run of every comment that a run copies', async (test) => {
    const bridged = await bridgedFor(test, tenant, 'DRYTALK')
    const { stub, wl, project, run, actions } = bridged
    const told = async (isDryRun: boolean): Promise<string[]> => {
      actions.length = 0
      await run({ isDryRun })
      // A dry run has no issue to link.
      return actions.flatMap(({ action, detail }) => (action === 'task.linked' ? [] : `${action} ${detail}`)).sort()
    }
    const editBoth = async (): Promise<void> => {
      const { number } = stub.create({ title: 'There' })
      for (const body of ['One', 'Two']) stub.comment(number, body)
      const { id } = await createTask(tenant, project.id, { title: 'Here' })
      for (const body of ['Three', 'Four', 'Five']) await wl.tasks.comments(id).create({ body })
    }
    for (const what of ['import', 'later run']) {
      await editBoth()
      const dry = await told(true)
      assert.equal(dry.filter((line) => line.startsWith('comment.')).length, 5, what)
      assert.deepEqual(await told(false), dry, what)
    }
  })

  it('tells in a dry run once of what was changed on both sides', async (test) => {
    const bridged = await bridgedFor(test, tenant, 'DRYBOTH')
    const { stub, wl, run, actions } = bridged
    for (const title of ['One', 'Two']) stub.create({ title })
    const theirs = stub.comment(2, 'Their words')
    await run()
    const [one, two] = await tasksOf(bridged)
    const [copy] = (await wl.tasks.comments(two!.id).list()).data
    await wl.tasks.update(one!.id, { title: 'Ours' })
    await wl.tasks.comments(two!.id).update(copy!.id, { body: copy!.body.replace('Their words', 'Our words') })
    stub.passTime(60_000)
    stub.edit(1, { title: 'Theirs' })
    stub.editComment(theirs.id, 'Their last words')
    const counts = async (isDryRun: boolean) => {
      actions.length = 0
      await run({ isDryRun })
      return actions.map(({ action, issue }) => `${action} ${issue}`).sort()
    }
    const dry = await counts(true)
    assert.deepEqual(dry, [
      'comment.sent 1',
      'comment.sent 2',
      'comment.updated 2',
      'conflict 1',
      'conflict 2',
      'task.updated 1',
    ])
    assert.deepEqual(await counts(false), dry)
  })

  it('takes one direction only where it is told to', async (test) => {
    const bridged = await bridgedFor(test, tenant, 'ONEWAY')
    const { stub, wl, project, run } = bridged
    stub.create({ title: 'One' })
    await createTask(tenant, project.id, { title: 'Two' })
    await run({ direction: 'in' })
    assert.deepEqual([stub.writes, (await tasksOf(bridged)).length], [0, 2])
    const [task] = (await wl.tasks.list({ externalId: `${stub.repo}#1` })).data
    await wl.tasks.update(task!.id, { title: 'One, renamed here' })
    await run({ direction: 'in' })
    assert.equal(stub.issues.get(1)!.title, 'One')
    stub.create({ title: 'Three' })
    await run({ direction: 'out' })
    assert.deepEqual(
      [...stub.issues.values()].map(({ title }) => title),
      ['One, renamed here', 'Three', 'Two'],
    )
    assert.equal((await tasksOf(bridged)).length, 2)
  })

  it('links only what has the labels asked for', async (test) => {
    const bridged = await bridgedFor(test, tenant, 'LABELS')
    const { stub, project, run } = bridged
    stub.create({ title: 'One', labels: ['agents'] })
    stub.create({ title: 'Two' })
    await createTask(tenant, project.id, { title: 'Three' })
    await run({ labels: ['agents'] })
    assert.deepEqual((await tasksOf(bridged)).map(({ title }) => title).sort(), ['One', 'Three'])
    assert.equal(stub.issues.size, 2)
    stub.edit(2, { labels: ['agents'] })
    await run({ labels: ['agents'] })
    assert.equal((await tasksOf(bridged)).length, 3)
  })

  it('creates nothing twice where two of it run at once', async (test) => {
    const bridged = await bridgedFor(test, tenant, 'TWICE')
    const { stub, wl, project, run, sent } = bridged
    await run()
    for (const title of ['One', 'Two', 'Three']) {
      const task = await createTask(tenant, project.id, { title })
      await wl.tasks.comments(task.id).create({ body: `About ${title}` })
      stub.comment(stub.create({ title: `${title} there` }).number, `About ${title} there`)
    }
    const onHeld = (): Promise<void> => pause(10)
    await Promise.all([run({ onHeld }), run({ onHeld })])
    await run()
    assert.deepEqual([stub.issues.size, stub.comments.size], [6, 6])
    const tasks = await tasksOf(bridged)
    assert.deepEqual(
      tasks.map(({ commentCount }) => commentCount),
      [1, 1, 1, 1, 1, 1],
    )
    await run()
    assert.equal(sent.writes, 0)
  })

  it('follows a repository that was renamed, once it is told to', async (test) => {
    const bridged = await bridgedFor(test, tenant, 'RENAMED')
    const { stub, wl, run, sent } = bridged
    stub.create({ title: 'One' })
    const deleted = stub.create({ title: 'Deleted here' })
    const pull = { draft: false, mergedAtMs: null, reviews: [], checks: [] }
    stub.create({ title: 'Fix', body: 'See #1', pull })
    await run()
    await wl.tasks.delete((await wl.tasks.list({ externalId: `${stub.repo}#${deleted.number}` })).data[0]!.id)
    await run()
    stub.rename('acme/new-name')
    await assert.rejects(run({ asked: 'acme/renamed' }), /acme\/renamed is now acme\/new-name\. .*--renamed-from/)
    await run({ formerName: 'acme/renamed' })
    assert.deepEqual(
      (await tasksOf(bridged)).map((task) => [task.externalId, Object.keys(linkOf(task).pulls ?? {})]),
      [['acme/new-name#1', ['acme/new-name#3']]],
    )
    await run()
    assert.equal(sent.writes, 0)
  })

  it('keeps its position where searches do not find it', async (test) => {
    const bridged = await bridgedFor(test, tenant, 'PLACE')
    const { stub, wl, project, run } = bridged
    stub.create({ title: 'One' })
    await run()
    const item = await wl.knowledge.get(positionKey(stub.repo), { projectId: project.id })
    assert.equal(item.state, 'expired')
  })
})
