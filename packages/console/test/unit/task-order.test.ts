import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createSortedCards } from '../../src/store/cards/sorted-cards'
import { findStatus, statusesOf } from '../../src/store/cards/statuses'
import { dueMsOf, isSameCard, movedTo, type Sort, sorts, type TaskCard } from '../../src/store/cards/task-card'
import { exampleCard } from './cards'

const sorted = (sort: Sort, cards: readonly TaskCard[]): string[] => [...cards].sort(sorts[sort]).map(({ id }) => id)

describe('the order of cards', () => {
  it('is by priority, then by what is due, then the newest', () => {
    const cards = [
      exampleCard('A-1'),
      exampleCard('A-12'),
      exampleCard('A-3', { priority: 'urgent' }),
      exampleCard('A-2', { dueDate: '2026-02-01' }),
    ]
    assert.deepEqual(sorted('priority', cards), ['A-3', 'A-2', 'A-12', 'A-1'])
  })

  it('is by when work was closed, the latest first', () => {
    const closed = { status: 'done', statusCategory: 'done' } as const
    const cards = [
      exampleCard('A-1', { ...closed, updatedAt: '2026-01-02T00:00:00Z' }),
      exampleCard('A-2', { ...closed, updatedAt: '2026-01-03T00:00:00Z', priority: 'low' }),
    ]
    assert.deepEqual(sorted('priority', cards), ['A-2', 'A-1'])
  })

  it('is by any field of the address', () => {
    const cards = [
      exampleCard('A-1', { rank: 2, title: 'b', attempts: 1, updatedAt: '2026-01-03T00:00:00Z' }),
      exampleCard('A-2', {
        rank: 1,
        title: 'c',
        assignee: { id: 'u', name: 'Ada' },
        createdAt: '2026-01-02T00:00:00Z',
      }),
      exampleCard('A-3', { rank: 1, title: 'a', dueDate: '2026-01-01' }),
    ]
    assert.deepEqual(sorted('rank', cards), ['A-2', 'A-3', 'A-1'])
    assert.deepEqual(sorted('title', cards), ['A-3', 'A-1', 'A-2'])
    assert.deepEqual(sorted('attempts', cards)[0], 'A-1')
    assert.deepEqual(sorted('updatedAt', cards)[0], 'A-1')
    assert.deepEqual(sorted('createdAt', cards)[0], 'A-2')
    assert.deepEqual(sorted('dueDate', cards)[0], 'A-3')
    assert.deepEqual(sorted('assignee', cards)[0], 'A-2')
  })

  it('is kept by sorted cards whatever changes in between', () => {
    const change = fc.record({ at: fc.nat(20), rank: fc.nat(5), isGone: fc.boolean(), reads: fc.boolean() })
    fc.assert(
      fc.property(fc.array(change), (changes) => {
        const cards = new Map(Array.from({ length: 8 }, (_, at) => [`A-${at}`, exampleCard(`A-${at}`)]))
        const list = createSortedCards(cards.values(), sorts.rank)
        for (const { at, rank, isGone, reads } of changes) {
          const id = `A-${at}`
          if (isGone) cards.delete(id)
          else cards.set(id, exampleCard(id, { rank }))
          list.set(id, cards.get(id))
          if (reads) list.read()
        }
        assert.deepEqual(list.read(), [...cards.values()].sort(sorts.rank))
        assert.equal(list.read(), list.read())
      }),
    )
  })
})

describe('a card', () => {
  it('is due until the end of its day', () => {
    assert.equal(dueMsOf('2026-01-01'), Date.parse('2026-01-01T23:59:59'))
    assert.equal(dueMsOf('2026-01-01T10:00:00Z'), Date.parse('2026-01-01T10:00:00Z'))
  })

  it('differs by what changes without a version', () => {
    const card = exampleCard('A-1')
    assert.equal(isSameCard(card, exampleCard('A-1')), true)
    for (const fields of [{ rank: 1 }, { commentCount: 1 }, { openBlockers: 1 }, { openQuestions: 1 }, { version: 2 }])
      assert.equal(isSameCard(card, exampleCard('A-1', fields)), false, JSON.stringify(fields))
    assert.equal(isSameCard(card, exampleCard('A-1', { children: { total: 1, open: 0 } })), false)
  })

  it('names the project that it was moved to', () => {
    const project = { key: 'SHOP' } as Parameters<typeof movedTo>[0]
    assert.equal(movedTo(project, 'SHOP-1'), undefined)
    assert.equal(movedTo(project, 'OLD-1'), 'SHOP')
  })
})

describe('statuses', () => {
  const project = {
    statuses: [
      { status: 'shipped', name: 'Shipped', category: 'done' },
      { status: 'todo', name: 'To do', category: 'todo' },
      { status: 'ready', name: 'Ready', category: 'todo' },
    ],
  } as unknown as Parameters<typeof statusesOf>[0]

  it('are those of the project in the order of work, or the built-in ones', () => {
    assert.deepEqual(
      statusesOf(project).map(({ status }) => status),
      ['todo', 'ready', 'shipped'],
    )
    assert.deepEqual(
      statusesOf(undefined).map(({ status }) => status),
      ['todo', 'in_progress', 'in_review', 'done', 'cancelled'],
    )
  })

  it('are found by name, else as the first of their category', () => {
    assert.equal(findStatus(project, 'ready')?.name, 'Ready')
    assert.equal(findStatus(project, 'done')?.name, 'Shipped')
    assert.equal(findStatus(project, 'gone'), undefined)
    assert.equal(findStatus(project, 'gone', 'todo')?.status, 'todo')
  })
})
