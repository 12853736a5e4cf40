import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { before, beforeEach, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { quietBoundMs } from 'worklore-testing/long-run'
import { until } from 'worklore-testing/until'
import { ConflictError, NotFoundError, PreconditionFailedError, ValidationError, type Worklore } from '../src/index.js'
import type { Fault } from './fault-proxy.js'
import { onEveryEngine } from './on-every-engine.js'

const errorOf = async <E extends Error>(call: Promise<unknown>, type: abstract new (...input: never[]) => E) => {
  const error = await call.then(
    () => assert.fail('it did not throw'),
    (error) => error,
  )
  assert.ok(error instanceof type, String(error))
  return error
}

onEveryEngine('claims', (stage) => {
  let wl: Worklore
  let projectId: string
  let count = 0

  before(() => {
    wl = stage.wl
  })
  beforeEach(async () => {
    projectId = `RUN${++count}`
    await wl.projects.create({ key: projectId, name: 'Claims', maxAttempts: 100 })
    stage.proxy.requests.length = 0
  })

  const create = (title = 'Work') => wl.tasks.create({ projectId, title })
  const requestsTo = (end: string) => stage.proxy.requests.filter(({ path }) => path.endsWith(end))

  it('reserves the resources of the task, and tells who has them', async () => {
    const one = await wl.tasks.create({ projectId, title: 'One', resources: ['web/'] })
    const two = await wl.tasks.create({ projectId, title: 'Two', resources: ['db', 'web/a'] })
    const claim = await wl.tasks.claim(one.id)
    const { reason, resource, heldBy } = await errorOf(wl.tasks.claim(two.id), ConflictError)
    assert.deepEqual([reason, resource, heldBy?.taskId], ['resource', 'web/a', one.id])
    const { data } = await wl.reservations.list({ projectId })
    assert.deepEqual(
      data.map((each) => [each.resource, each.taskId, each.title]),
      [['web/', one.id, 'One']],
    )
    await claim.release({ status: 'done' })
    await (await wl.tasks.claim(two.id)).release()
  })

  it('takes the next task, works under the claim and releases it', async () => {
    const { id } = await create()
    assert.equal((await wl.tasks.peek({ projectId }))?.id, id)
    const claim = await wl.tasks.next({ projectId, worker: 'one', leaseSeconds: 60 })
    assert.equal(claim?.task.id, id)
    assert.equal(claim.task.status, 'in_progress')
    assert.equal(claim.token, `${id}.1`)
    assert.equal(await wl.tasks.next({ projectId }), null)

    const fenced = claim.fenced()
    await fenced.knowledge.put('notes/claims', { content: 'learned', projectId })
    await fenced.tasks.update(id, { description: 'half way' })
    await fenced.tasks.comments(id).create({ body: 'A word' })
    assert.equal(requestsTo('notes/claims')[0]!.headers['worklore-claim'], claim.token)

    const done = await claim.release({ status: 'done', comment: 'Finished' })
    assert.equal(done.status, 'done')
    assert.equal(done.claim, null)
    assert.equal(claim.lost.aborted, false)
    const bodies: string[] = []
    for await (const { body } of wl.tasks.comments(id).list()) bodies.push(body)
    assert.deepEqual(bodies, ['A word', 'Finished'])
    const late = fenced.knowledge.put('notes/claims', { content: 'too late', projectId })
    assert.equal((await errorOf(late, PreconditionFailedError)).reason, 'claim_lost')
    assert.equal((await wl.knowledge.get('notes/claims', { projectId })).content, 'learned')
  })

  it('renews and releases a claim by its token', async () => {
    const { id } = await create()
    const { token } = await wl.tasks.claim(id, { leaseSeconds: 60 })
    const renewed = await wl.tasks.renew(token, { leaseSeconds: 600 })
    assert.equal(Date.parse(renewed.claim!.expiresAt) - Date.parse(renewed.claim!.renewedAt), 600_000)
    const done = await wl.tasks.release(token, { status: 'done', comment: 'Finished elsewhere' })
    assert.deepEqual([done.status, done.claim, done.commentCount], ['done', null, 1])
    const { reason } = await errorOf(wl.tasks.renew(token), PreconditionFailedError)
    assert.equal(reason, 'claim_lost')
    await errorOf(wl.tasks.release('ACME'), ValidationError)
  })

  it('says why a task cannot be claimed, without waiting for it', async () => {
    const first = await create()
    const second = await wl.tasks.create({ projectId, title: 'Later', blockedBy: [first.id] })
    const blocked = await errorOf(wl.tasks.claim(second.id), ConflictError)
    assert.deepEqual([blocked.reason, blocked.blockedBy], ['blocked', [first.id]])
    const cycle = await errorOf(wl.tasks.update(first.id, { blockedBy: [second.id] }), ConflictError)
    assert.equal(cycle.reason, 'cycle')
    assert.deepEqual(cycle.cycle?.toSorted(), [first.id, second.id])

    const claim = await wl.tasks.claim(first.id, { leaseSeconds: 10, worker: 'holder' })
    const startedAtMs = performance.now()
    const claimed = await errorOf(wl.tasks.claim(first.id), ConflictError)
    assert.ok(performance.now() - startedAtMs < quietBoundMs(5_000))
    assert.equal(claimed.reason, 'claimed')
    assert.equal(claimed.claim?.worker, 'holder')
    assert.ok(claimed.retryAfter! <= 10)
    await claim.release({ status: 'done' })
    assert.equal((await errorOf(wl.tasks.claim(first.id), ConflictError)).reason, 'closed')
  })

  it('renews at once where the answer of the claim was long on the way', async () => {
    await create()
    stage.proxy.queue.push('slow, lost', 'slow, lost', 'slow, lost')
    const claim = await stage.clientWith({ timeoutMs: 900, maxRetries: 9 }).tasks.next({ projectId, leaseSeconds: 10 })
    // On a slow machine the attempt after these may take too long as well.
    assert.ok(requestsTo('/next').length >= 4)
    const renewals = await until(
      async () => requestsTo('/renew').length,
      (count) => count >= 1,
    )
    assert.ok(renewals >= 1)
    await claim!.release()
  })

  it('tells of the loss by a fenced write too, also of one by function', async () => {
    const { id } = await create()
    await wl.knowledge.put('fenced', { content: 'one', projectId })
    const claim = await wl.tasks.claim(id)
    await wl.tasks.update(id, { status: 'todo' })
    const update = claim.fenced().knowledge.update('fenced', () => ({ content: 'two' }), { projectId })
    assert.equal((await errorOf(update, PreconditionFailedError)).reason, 'claim_lost')
    assert.ok(claim.lost.aborted)
    await errorOf(claim.release(), PreconditionFailedError)
  })

  it('hands the task back at the end of its scope, unless it was released', async () => {
    const { id } = await create()
    {
      await using claim = await wl.tasks.next({ projectId })
      assert.equal(claim?.task.id, id)
    }
    const back = await wl.tasks.get(id)
    assert.deepEqual([back.status, back.claim], ['todo', null])
    {
      await using claim = await wl.tasks.next({ projectId })
      await claim!.release({ status: 'in_review' })
    }
    assert.equal((await wl.tasks.get(id)).status, 'in_review')
    {
      await using none = await wl.tasks.next({ projectId })
      assert.equal(none, null)
    }
  })

  it('waits longer than its timeout where it is to wait', async () => {
    const impatient = stage.clientWith({ timeoutMs: 4_000, maxRetries: 0 })
    assert.equal(await impatient.tasks.next({ projectId, waitSeconds: 5 }), null)
    const waiting = impatient.tasks.next({ projectId, waitSeconds: 15 })
    await pause(4_500)
    const { id } = await create()
    const claim = await waiting
    assert.equal(claim?.task.id, id)
    await claim.release()
  })

  const lostAnswers: Fault[] = ['reset, lost', 'cut, lost', 'bad gateway, lost', 'delivered twice']

  it('neither loses nor doubles work where answers are lost', async () => {
    for (const fault of lostAnswers) {
      const { id } = await create(fault)
      stage.proxy.queue.push(fault)
      const claim = await wl.tasks.next({ projectId })
      assert.equal(claim?.token, `${id}.1`, fault)
      assert.equal(await wl.tasks.next({ projectId }), null)
      stage.proxy.queue.push(fault)
      await claim.release({ status: 'done', comment: fault })
      const done = await wl.tasks.get(id)
      assert.deepEqual([done.status, done.attempts, done.commentCount, done.version], ['done', 1, 1, 3], fault)
      assert.equal(claim.lost.aborted, false)
    }
  })

  it('hands work in once, also where the caller has to hand it in again', async () => {
    const { id } = await create()
    const claim = await wl.tasks.claim(id)
    stage.proxy.queue.push('reset, lost')
    await assert.rejects(claim.release({ status: 'done', comment: 'once' }, { maxRetries: 0 }))
    await claim.release({ status: 'done', comment: 'once' })
    assert.equal((await wl.tasks.get(id)).commentCount, 1)
    assert.equal(claim.lost.aborted, false)
  })

  it('releases together with what was learned, all or nothing', async () => {
    const { id } = await create()
    const claim = await wl.tasks.claim(id)
    const key = `notes/${projectId}`
    const stale = claim.release(
      { status: 'done' },
      { together: (batch) => batch.knowledge.put(key, { content: 'lost' }, { ifMatch: 7 }) },
    )
    assert.equal((await errorOf(stale, PreconditionFailedError)).index, 0)
    assert.equal((await wl.tasks.get(id)).status, 'in_progress')
    const invalid = claim.release({ status: 'done' }, { together: (batch) => batch.knowledge.put('', { content: '' }) })
    await errorOf(invalid, ValidationError)
    assert.equal((await wl.tasks.get(id)).status, 'in_progress')
    const released = await claim.release(
      { status: 'done' },
      {
        together: (batch) => {
          batch.knowledge.put(key, { content: 'learned' })
          batch.tasks.create({ projectId, title: 'What came of it', parentId: null })
        },
      },
    )
    assert.equal(released.status, 'done')
    assert.equal((await wl.knowledge.get(key)).content, 'learned')
    assert.equal((await wl.tasks.peek({ projectId }))?.title, 'What came of it')
  })

  it('lets a program end that still holds a claim', async () => {
    const { id } = await create()
    const program = `
      import { Worklore } from ${JSON.stringify(import.meta.resolve('worklore-client'))}
      const wl = new Worklore({ baseUrl: process.env.URL, apiKey: process.env.KEY })
      console.log((await wl.tasks.claim(process.env.TASK)).token)`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
      env: { ...process.env, URL: stage.proxy.url, KEY: stage.service.adminKey, TASK: id },
      timeout: 600_000,
    })
    assert.equal(stdout, `${id}.1\n`)
  })
})

onEveryEngine('claims over time', (stage) => {
  const create = () => stage.wl.tasks.create({ projectId: 'TIME', title: 'Long work' })
  const renewalsOf = (id: string): number =>
    stage.proxy.requests.filter(({ path }) => path === `/v1/tasks/${id}/renew`).length

  const untilLost = (lost: AbortSignal): Promise<boolean> =>
    until(
      async () => lost.aborted,
      (is) => is,
    )

  before(() => stage.wl.projects.create({ key: 'TIME', name: 'Over time' }))

  describe('side by side', { concurrency: true }, () => {
    it('are renewed in the background, until they are released', async () => {
      const { id } = await create()
      const startedAtMs = performance.now()
      const claim = await stage.wl.tasks.claim(id, { leaseSeconds: 10 })
      const { expiresAt } = claim.task.claim!
      const isRenewed = await until(
        async () => claim.task.claim!.expiresAt > expiresAt,
        (is) => is,
      )
      assert.ok(isRenewed)
      // One after each third of a lease.
      const sent = renewalsOf(id)
      assert.ok(sent >= 1 && sent <= (performance.now() - startedAtMs) / 3_000, `${sent} renewals`)
      await claim.release()
      const sentInAll = renewalsOf(id)
      await pause(3_800)
      assert.equal(renewalsOf(id), sentInAll)
      assert.equal(claim.lost.aborted, false)
    })

    it('tell when they are lost, and are renewed no more', async () => {
      const { id } = await create()
      const told: unknown[] = []
      const claim = await stage.wl.tasks.claim(id, { leaseSeconds: 10, onLost: (error) => told.push(error) })
      const other = await stage.wl.tasks.claim(id, { takeover: true })
      assert.equal(other.token, `${id}.2`)
      await untilLost(claim.lost)
      assert.ok(claim.lost.aborted)
      assert.equal(claim.lost.reason.reason, 'claim_lost')
      assert.deepEqual(told, [claim.lost.reason])
      const sent = renewalsOf(id)
      await pause(3_800)
      assert.equal(renewalsOf(id), sent)
      assert.equal((await errorOf(claim.release({ status: 'done' }), PreconditionFailedError)).reason, 'claim_lost')
      assert.equal((await stage.wl.tasks.get(id)).claim?.token, other.token)
      assert.equal(told.length, 1)
      await other.release()
    })

    it('are lost where the task is gone', async () => {
      const { id } = await create()
      const claim = await stage.wl.tasks.claim(id, { leaseSeconds: 10 })
      await stage.wl.tasks.delete(id)
      await untilLost(claim.lost)
      assert.equal((claim.lost.reason as PreconditionFailedError).reason, 'claim_lost')
    })
  })
})

onEveryEngine('batches, comments and moves', (stage) => {
  before(() => stage.wl.projects.create({ key: 'ACME', name: 'Acme' }))

  it('makes a plan with its dependencies in one call', async () => {
    const [design, build, note] = await stage.wl.batch((batch) => [
      batch.as('design').tasks.create({ projectId: 'ACME', title: 'Design' }),
      batch.as('build').tasks.create({ projectId: 'ACME', title: 'Build', blockedBy: ['@design'] }),
      batch.knowledge.put('plans/site', { content: 'First the design' }, { ifNoneMatch: '*' }),
      batch.tasks.comments('@build').create({ body: 'After the design' }),
      batch.tasks.update('@design', { priority: 'high' }),
    ])
    assert.equal(design.title, 'Design')
    assert.deepEqual(build.blockedBy, [design.id])
    assert.equal(note.version, 1)
    const stored = await stage.wl.tasks.get(design.id)
    assert.equal(stored.priority, 'high')
    assert.equal((await stage.wl.tasks.get(build.id)).commentCount, 1)
  })

  it('makes none of it where one is refused, and says which', async () => {
    const { data: before } = await stage.wl.tasks.list()
    const refused = stage.wl.batch((batch) => [
      batch.tasks.create({ projectId: 'ACME', title: 'Fine' }),
      batch.tasks.delete('ACME-999'),
    ])
    assert.equal((await errorOf(refused, NotFoundError)).index, 1)
    stage.proxy.requests.length = 0
    const invalid = stage.wl.batch((batch) => [
      batch.tasks.create({ projectId: 'ACME', title: 'Fine' }),
      batch.tasks.delete(''),
    ])
    await errorOf(invalid, ValidationError)
    assert.equal(stage.proxy.requests.length, 0)
    assert.deepEqual((await stage.wl.tasks.list()).data, before)
  })

  it('makes a batch once where its answer was lost', async () => {
    stage.proxy.queue.push('reset, lost')
    const [task] = await stage.wl.batch((batch) => [batch.tasks.create({ projectId: 'ACME', title: 'Batched once' })])
    let count = 0
    for await (const { title } of stage.wl.tasks.list()) if (title === 'Batched once') count++
    assert.equal(count, 1)
    assert.equal((await stage.wl.tasks.get(task.id)).title, 'Batched once')
  })

  it('changes and deletes comments, and moves knowledge', async () => {
    const { id } = await stage.wl.tasks.create({ projectId: 'ACME', title: 'Talked about' })
    const comments = stage.wl.tasks.comments(id)
    const comment = await comments.create({ body: 'First' })
    const changed = await comments.update(comment.id, { body: 'Second' }, { ifMatch: comment })
    assert.deepEqual(await comments.get(comment.id), changed)
    await errorOf(comments.update(comment.id, { body: 'Third' }, { ifMatch: comment }), PreconditionFailedError)
    assert.deepEqual(await comments.delete(comment.id), { id: comment.id, deleted: true })

    await stage.wl.knowledge.put('old/one', { content: '1' })
    await stage.wl.knowledge.put('old/two', { content: '2' })
    const moved = await stage.wl.knowledge.move({ from: 'old', to: 'new', recursive: true })
    assert.deepEqual(moved.map(({ from, key }) => [from, key]).toSorted(), [
      ['old/one', 'new/one'],
      ['old/two', 'new/two'],
    ])
    assert.equal((await stage.wl.knowledge.get('new/two')).content, '2')
  })
})
