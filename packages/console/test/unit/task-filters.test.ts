import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Project } from 'worklore-client'
import type { TaskCard } from '../../src/store/cards/task-card'
import { columnsOf, lanesIn, lanesOf, maxInCell } from '../../src/tasks/filters/lanes'
import { filterValues, isFiltered, isTimed, type Known, matcherOf, workerValue } from '../../src/tasks/filters/matcher'
import { exampleCard, exampleClaim } from './cards'

const nowMs = Date.parse('2026-01-01T00:30:00Z')

const knownWith = (cards: readonly TaskCard[], more: Partial<Known> = {}): Known => ({
  tasks: { card: (id: string) => cards.find((card) => card.id === id) } as Known['tasks'],
  projects: {
    get: (id: string) => (id === 'prj_1' ? { id, key: 'SHOP', maxAttempts: 3 } : undefined) as Project | undefined,
  } as Known['projects'],
  nowMs,
  userId: 'usr_ada',
  keyId: 'key_me',
  ...more,
})

/** Returns the IDs of the cards that match a query. */
const matching = (query: Record<string, string>, cards: readonly TaskCard[], more: Partial<Known> = {}): string[] =>
  cards.filter(matcherOf(query, knownWith(cards, more))).map(({ id }) => id)

describe('a filter of tasks', () => {
  it('finds the title and the id in either case', () => {
    const cards = [exampleCard('SHOP-1', { title: 'Fix the Login' }), exampleCard('SHOP-2')]
    assert.deepEqual(matching({ q: 'LOGIN' }, cards), ['SHOP-1'])
    assert.deepEqual(matching({ q: 'shop-2' }, cards), ['SHOP-2'])
    assert.deepEqual(matching({}, cards), ['SHOP-1', 'SHOP-2'])
  })

  it('takes a status by its name or its category', () => {
    const cards = [
      exampleCard('A-1', { status: 'testing', statusCategory: 'in_review' }),
      exampleCard('A-2', { status: 'in_review', statusCategory: 'in_review' }),
      exampleCard('A-3'),
    ]
    assert.deepEqual(matching({ status: 'testing' }, cards), ['A-1'])
    assert.deepEqual(matching({ status: 'in_review' }, cards), ['A-1', 'A-2'])
    assert.deepEqual(matching({ status: 'testing,todo' }, cards), ['A-1', 'A-3'])
  })

  it('takes people, nobody and who is signed in', () => {
    const cards = [
      exampleCard('A-1', { assignee: { id: 'usr_ada', name: 'Ada' } }),
      exampleCard('A-2', { assignee: { id: 'usr_bob', name: 'Bob' } }),
      exampleCard('A-3'),
    ]
    assert.deepEqual(matching({ assignee: 'me' }, cards), ['A-1'])
    assert.deepEqual(matching({ assignee: 'none,usr_bob' }, cards), ['A-2', 'A-3'])
    assert.deepEqual(matching({ assignee: 'me' }, cards, { userId: undefined }), [])
  })

  it('takes labels, priorities, projects and creators, and wants all filters to match', () => {
    const cards = [
      exampleCard('A-1', { labels: ['bug', 'ui'], priority: 'urgent' }),
      exampleCard('A-2', { labels: ['bug'], projectId: 'prj_2' }),
      exampleCard('A-3', { priority: 'urgent', createdBy: { keyId: 'key_me', keyName: 'mine', userId: null } }),
    ]
    assert.deepEqual(matching({ label: 'bug' }, cards), ['A-1', 'A-2'])
    assert.deepEqual(matching({ label: 'bug', priority: 'urgent' }, cards), ['A-1'])
    assert.deepEqual(matching({ project: 'SHOP' }, cards), ['A-1', 'A-3'])
    assert.deepEqual(matching({ createdBy: 'key_1' }, cards), ['A-1', 'A-2'])
    assert.deepEqual(matching({ createdBy: 'me,key_2' }, cards), ['A-3'])
    assert.deepEqual(matching({ createdBy: 'key_3' }, cards), [])
  })

  it('takes the holder and worker of a live claim only', () => {
    const ended = exampleClaim({ expiresAt: '2026-01-01T00:10:00Z' })
    const cards = [
      exampleCard('A-1', { claim: exampleClaim({ worker: 'w,1' }) }),
      exampleCard('A-2', { claim: ended }),
      exampleCard('A-3'),
    ]
    assert.deepEqual(matching({ holder: 'key_1' }, cards), ['A-1'])
    assert.deepEqual(matching({ holder: 'none' }, cards), ['A-2', 'A-3'])
    assert.deepEqual(matching({ worker: workerValue('w,1') }, cards), ['A-1'])
    assert.deepEqual(matching({ state: 'claimed' }, cards), ['A-1'])
  })

  it('takes states that depend on the time, on others and on checks', () => {
    const cards = [
      exampleCard('A-1', { claim: exampleClaim() }),
      exampleCard('A-2', { openBlockers: 1 }),
      exampleCard('A-3', { dueDate: '2025-12-31', openQuestions: 1 }),
      exampleCard('A-4', { attempts: 3 }),
      exampleCard('A-5', { ready: true, stale: [{ at: '2026-01-01T00:00:00Z' }] as unknown as TaskCard['stale'] }),
      exampleCard('A-6', { statusCategory: 'done', status: 'done', dueDate: '2025-12-31', openBlockers: 1 }),
      exampleCard('A-7', { parentId: 'A-2' }),
      exampleCard('A-8', { children: { total: 1, open: 1 } }),
    ]
    assert.deepEqual(matching({ state: 'silent' }, cards), ['A-1'])
    assert.deepEqual(matching({ state: 'blocked' }, cards), ['A-2'])
    assert.deepEqual(matching({ state: 'overdue' }, cards), ['A-3'])
    assert.deepEqual(matching({ state: 'asking' }, cards), ['A-3'])
    assert.deepEqual(matching({ state: 'exhausted' }, cards), ['A-4'])
    assert.deepEqual(matching({ state: 'stale' }, cards), ['A-5'])
    assert.deepEqual(matching({ state: 'ready' }, cards), ['A-5'])
    assert.deepEqual(matching({ state: 'stale,asking' }, cards), ['A-3', 'A-5'])
    assert.equal(isTimed({ state: 'ready' }), true)
    assert.equal(isTimed({ label: 'bug' }), false)
  })

  it('takes checks, parents at any height and the age', () => {
    const cards = [
      exampleCard('A-1', { checks: { total: 2, open: 1, failed: 0 } }),
      exampleCard('A-2', { checks: { total: 1, open: 0, failed: 1 }, parentId: 'A-1' }),
      exampleCard('A-3', { checks: { total: 1, open: 0, failed: 0 }, parentId: 'A-2' }),
      exampleCard('A-4', { createdAt: '2025-12-01T00:00:00Z' }),
    ]
    assert.deepEqual(matching({ checks: 'open' }, cards), ['A-1'])
    assert.deepEqual(matching({ checks: 'failed' }, cards), ['A-2'])
    assert.deepEqual(matching({ checks: 'met' }, cards), ['A-3'])
    assert.deepEqual(matching({ checks: 'none' }, cards), ['A-4'])
    assert.deepEqual(matching({ parent: 'A-1' }, cards), ['A-2', 'A-3'])
    assert.deepEqual(matching({ parent: 'none' }, cards), ['A-1', 'A-4'])
    assert.deepEqual(matching({ age: 'over-7d' }, cards), ['A-4'])
    assert.deepEqual(matching({ age: 'under-7d' }, cards), ['A-1', 'A-2', 'A-3'])
  })

  it('ends in a circle of parents', () => {
    const cards = [exampleCard('A-1', { parentId: 'A-2' }), exampleCard('A-2', { parentId: 'A-1' })]
    assert.deepEqual(matching({ parent: 'A-9' }, cards), [])
  })

  it('leaves out values that it does not know', () => {
    assert.deepEqual(filterValues({ state: 'ready,nonsense,constructor' }, 'state'), ['ready'])
    assert.equal(isFiltered({ age: 'older', priority: 'low' }), true)
    assert.equal(isFiltered({ age: 'older', priority: 'toString' }), false)
    assert.equal(isFiltered({ q: 'x' }), true)
  })
})

describe('lanes', () => {
  const cards = [
    exampleCard('A-1', { priority: 'low', assignee: { id: 'u2', name: 'Bob' } }),
    exampleCard('A-2', { priority: 'urgent', assignee: { id: 'u10', name: 'Ada' } }),
    exampleCard('A-3', { priority: 'urgent', parentId: 'A-1' }),
  ]
  const known = {
    tasks: { card: (id: string) => cards.find((card) => card.id === id) },
    users: { get: (id: string) => ({ u2: { name: 'Bob' }, u10: { name: 'Ada' } })[id] },
  } as unknown as Parameters<typeof lanesOf>[2]
  const columns = new Map([
    ['todo', cards.slice(0, 2)],
    ['done', cards.slice(2)],
  ])

  it('are in the order of priorities, else by name with the rest last', () => {
    assert.deepEqual(
      lanesOf('priority', columns, known).map(({ name, count }) => [name, count]),
      [
        ['Urgent', 2],
        ['Low', 1],
      ],
    )
    assert.deepEqual(
      lanesOf('assignee', columns, known).map(({ name, patch }) => [name, patch.assigneeId]),
      [
        ['Ada', 'u10'],
        ['Bob', 'u2'],
        ['Nobody', null],
      ],
    )
    assert.deepEqual(
      lanesOf('parent', columns, known).map(({ name, patch }) => [name, patch.parentId]),
      [
        ['A-1 Task A-1', 'A-1'],
        ['No parent', null],
      ],
    )
  })

  it('show a bounded number of cards of each status', () => {
    const many = Array.from({ length: maxInCell + 5 }, (_, at) => exampleCard(`A-${at}`))
    const lanes = lanesOf('priority', new Map([['todo', many]]), known)
    assert.equal(columnsOf(lanes, ['todo', 'done']).get('todo')!.length, maxInCell)
    assert.deepEqual(columnsOf(lanes, ['done']).get('done'), [])
  })

  it('are read from the address', () => {
    assert.equal(lanesIn({ lanes: 'parent' }), 'parent')
    assert.equal(lanesIn({ lanes: 'toString' }), null)
    assert.equal(lanesIn({}), null)
  })
})
