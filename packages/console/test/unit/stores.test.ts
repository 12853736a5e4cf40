import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { type ChangeEvent, NotFoundError, type Project, Worklore } from 'worklore-client'
import { randomFrom } from 'worklore-testing/random'
import { describeClient } from 'worklore-testing/service-suite'
import type { Observable } from '../../src/store/base/observable'
import { sorts, type TaskEvent } from '../../src/store/cards/task-card'
import { createTasks, type Tasks } from '../../src/store/cards/tasks'
import { createKnowledgeIndex, type KnowledgeEvent } from '../../src/store/knowledge'

const priorities = ['low', 'medium', 'high', 'urgent'] as const
const statuses = ['todo', 'in_progress', 'in_review', 'done', 'cancelled'] as const

const becomes = async <T>(observable: Observable<T>, isRight: (value: T) => boolean): Promise<void> => {
  if (isRight(observable.get())) return
  await new Promise<void>((resolve) => {
    const stop = observable.subscribe(() => {
      if (!isRight(observable.get())) return
      stop()
      resolve()
    })
  })
}

describeClient('the stores of the console', (tenant) => {
  let wl: Worklore
  let project: Project
  before(async () => {
    // A hidden page gets no animation frames, so the stores do not wait for them.
    Object.assign(globalThis, { document: Object.assign(new EventTarget(), { visibilityState: 'hidden' }) })
    wl = new Worklore({ baseUrl: tenant.baseUrl, apiKey: tenant.adminKey })
    project = await wl.projects.create({ key: 'STORE', name: 'Store' })
  })
  after(() => {
    Reflect.deleteProperty(globalThis, 'document')
  })

  const storeOf = async (): Promise<Tasks> => {
    const tasks = createTasks(wl, (id) => (id === project.id ? project : undefined))
    await becomes(tasks.load(project.id, 'priority'), ({ isComplete }) => isComplete)
    return tasks
  }
  /** Returns a function that reads the events since its last call. */
  const followEvents = async (): Promise<() => Promise<ChangeEvent[]>> => {
    let position = (await wl.events.list({ after: 'latest', limit: 1 })).pagination.nextAfter
    return async () => {
      const { data, pagination } = await wl.events.list({ after: position, limit: 500 })
      position = pagination.nextAfter
      return data
    }
  }
  /** Returns the cards of the store, sorted by rank, without `order` and `ready`, which events do not contain. */
  const shown = (tasks: Tasks) =>
    tasks
      .cardsOf(project.id)
      .map(({ order: _, ...card }) => ({ ...card, ready: false }))
      .sort(sorts.rank)

  it('show after events what they would have loaded', async () => {
    const random = randomFrom(7)
    const below = (count: number): number => Math.floor(random() * count)
    const ids: string[] = []
    for (let at = 0; at < 6; at++) {
      ids.push((await wl.tasks.create({ projectId: project.id, title: `Task ${at}` })).id)
    }
    const tasks = await storeOf()
    const nextEvents = await followEvents()
    const any = (): string => ids[below(ids.length)]!
    const edits: (() => Promise<unknown>)[] = [
      async () => ids.push((await wl.tasks.create({ projectId: project.id, title: 'New', labels: ['new'] })).id),
      () => wl.tasks.update(any(), { title: `Renamed ${below(100)}` }),
      () => wl.tasks.update(any(), { status: statuses[below(5)]! }),
      () => wl.tasks.update(any(), { priority: priorities[below(4)]! }),
      () => wl.tasks.update(any(), { parentId: any() }),
      () => wl.tasks.update(any(), { checks: [{ text: 'Seen' }] }),
      () => wl.tasks.rank(any(), { to: below(2) === 0 ? 'top' : 'bottom' }),
      async () => {
        const id = any()
        await wl.tasks.delete(id)
        ids.splice(ids.indexOf(id), 1)
      },
    ]
    for (let round = 0; round < 10; round++) {
      for (let count = 0; count < 6; count++) {
        // The service may refuse an edit, such as a cycle of parents or the deletion of a task with subtasks.
        await edits[below(edits.length)]!().catch(() => undefined)
      }
      for (const event of await nextEvents()) {
        if (event.type.startsWith('task.')) tasks.apply(event as TaskEvent)
      }
      assert.deepEqual(shown(tasks), shown(await storeOf()), `round ${round}`)
    }
  })

  it('take closed blockers off the tasks that wait for them, without reading these again', async () => {
    const [first, second] = [
      await wl.tasks.create({ projectId: project.id, title: 'First' }),
      await wl.tasks.create({ projectId: project.id, title: 'Second' }),
    ]
    const blockedBy = [first.id, second.id]
    const { id } = await wl.tasks.create({ projectId: project.id, title: 'Waits', blockedBy })
    const tasks = await storeOf()
    const blockersNow = () => [tasks.card(id)!.openBlockers, tasks.card(id)!.openBlockerIds]
    assert.deepEqual(blockersNow(), [2, [first.id, second.id]])
    assert.deepEqual([tasks.card(id)!.ready, tasks.card(first.id)!.ready], [false, true])
    const nextEvents = await followEvents()
    for (const [blocker, left] of [
      [first, [second.id]],
      [second, []],
    ] as const) {
      await wl.tasks.update(blocker.id, { status: 'done' })
      for (const event of await nextEvents()) tasks.apply(event as TaskEvent)
      assert.deepEqual(blockersNow(), [left.length, left])
    }
    assert.equal(tasks.card(first.id)!.ready, false)
  })

  it('show a change at once, and take it back if the service refuses', async () => {
    const { id } = await wl.tasks.create({ projectId: project.id, title: 'Before' })
    const tasks = await storeOf()
    const saved = tasks.change(id, { title: 'After', status: 'done' })
    assert.deepEqual([tasks.card(id)!.title, tasks.card(id)!.statusCategory], ['After', 'done'])
    await saved
    assert.deepEqual([tasks.card(id)!.title, tasks.card(id)!.version], ['After', 2])
    const refused = tasks.change(id, { title: 'Too late' }, { ifMatch: 1 })
    assert.equal(tasks.card(id)!.title, 'Too late')
    await assert.rejects(refused)
    assert.equal(tasks.card(id)!.title, 'After')
  })

  it('keep the labels of others when they edit some', async () => {
    const { id } = await wl.tasks.create({ projectId: project.id, title: 'Labels', labels: ['one'] })
    const tasks = await storeOf()
    await wl.tasks.update(id, { labels: ['one', 'two'] })
    await tasks.editLabels(id, (labels) => [...labels, 'three'])
    assert.deepEqual((await wl.tasks.get(id)).labels, ['one', 'two', 'three'])
    assert.deepEqual(tasks.card(id)!.labels, ['one', 'two', 'three'])
  })

  it('do not bring back what was deleted by a page that was read before', async () => {
    const { id } = await wl.tasks.create({ projectId: project.id, title: 'Gone' })
    const tasks = await storeOf()
    const card = tasks.card(id)!
    const nextEvents = await followEvents()
    await wl.tasks.delete(id)
    for (const event of await nextEvents()) tasks.apply(event as TaskEvent)
    assert.equal(tasks.card(id), undefined)
    tasks.add([card])
    assert.equal(tasks.card(id), undefined)
    await assert.rejects(wl.tasks.get(id), NotFoundError)
  })

  it('follow items by their events as well', async () => {
    await wl.knowledge.put('a', { content: 'A' })
    const load = async () => {
      const index = createKnowledgeIndex(wl)
      index.load()
      await becomes(index.state, ({ isComplete }) => isComplete)
      return index
    }
    const keysOf = (index: Awaited<ReturnType<typeof load>>) =>
      [...index.entries()].map(({ key, version, title }) => [key, version, title]).sort()
    const index = await load()
    const nextEvents = await followEvents()
    await wl.knowledge.put('b', { content: 'B', title: 'Second' })
    await wl.knowledge.put('a', { content: 'A2' })
    await wl.knowledge.move({ from: 'b', to: 'c' })
    await wl.knowledge.put('d', { content: 'D' })
    await wl.knowledge.delete('d')
    for (const event of await nextEvents()) {
      if (event.type.startsWith('knowledge.')) index.apply(event as KnowledgeEvent)
    }
    assert.deepEqual(keysOf(index), keysOf(await load()))
    assert.equal(index.get(null, 'b'), undefined)
  })
})
