import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { PreconditionFailedError } from 'worklore-client'
import { editList, withValue } from '../../src/store/cards/edit-list'
import { createUndoStack } from '../../src/store/undo-stack'
import { createSelection, maxSelected } from '../../src/tasks/selection/selection'

const selected = (selection: ReturnType<typeof createSelection>): string[] | null => {
  const ids = selection.ids.get()
  return ids && [...ids]
}

describe('a selection of tasks', () => {
  it('begins empty, and is toggled and extended in the order shown', () => {
    const selection = createSelection()
    assert.equal(selected(selection), null)
    selection.start()
    assert.deepEqual(selected(selection), [])
    selection.shown.set(['a', 'b', 'c', 'd'])
    selection.toggle('c')
    selection.extendTo('a')
    assert.deepEqual(selected(selection)!.sort(), ['a', 'b', 'c'])
    selection.toggle('b')
    assert.deepEqual(selected(selection)!.sort(), ['a', 'c'])
    selection.extendTo('d')
    assert.deepEqual(selected(selection)!.sort(), ['a', 'b', 'c', 'd'])
  })

  it('selects what matches, also what is found while more is loaded', () => {
    const selection = createSelection()
    selection.match({ ids: ['a'], isPartial: true })
    selection.selectAll()
    selection.match({ ids: ['a', 'b'], isPartial: true })
    selection.match({ ids: ['a', 'b', 'c'], isPartial: false })
    assert.deepEqual(selected(selection), ['a', 'b', 'c'])
    selection.match({ ids: ['a', 'b', 'c', 'd'], isPartial: false })
    assert.deepEqual(selected(selection), ['a', 'b', 'c'])
  })

  it('drops what no longer matches, and ends when nothing does', () => {
    const selection = createSelection()
    selection.set(['a', 'b'])
    selection.match({ ids: ['b', 'c'], isPartial: false })
    assert.deepEqual(selected(selection), ['b'])
    selection.match({ ids: ['c'], isPartial: false })
    assert.deepEqual(selected(selection), [])
    selection.match({ ids: [], isPartial: false })
    assert.equal(selected(selection), null)
  })

  it('ends once none of what was changed matches', () => {
    const selection = createSelection()
    selection.set(['a'])
    selection.endOnceGone()
    selection.match({ ids: ['b'], isPartial: false })
    assert.equal(selected(selection), null)
  })

  it('is bounded', () => {
    const selection = createSelection()
    selection.set(Array.from({ length: maxSelected + 1 }, (_, at) => `t${at}`))
    assert.equal(selected(selection)!.length, maxSelected)
  })
})

describe('the undo stack', () => {
  it('gives back the last entry first, and tells it that it is taken', () => {
    const stack = createUndoStack()
    const taken: string[] = []
    const entry = (what: string) => ({ what, run: null, onTaken: () => taken.push(what) })
    const [one, two, three] = [entry('one'), entry('two'), entry('three')]
    for (const each of [one, two, three]) stack.push(each)
    stack.remove(two)
    assert.deepEqual([stack.pop()?.what, stack.pop()?.what, stack.pop()], ['three', 'one', undefined])
    assert.deepEqual(taken, ['three', 'one'])
  })

  it('forgets the oldest of more than fifty', () => {
    const stack = createUndoStack()
    for (let at = 0; at < 51; at++) stack.push({ what: `${at}`, run: null })
    const left = []
    for (let entry = stack.pop(); entry; entry = stack.pop()) left.push(entry.what)
    assert.deepEqual([left.length, left.at(-1)], [50, '1'])
  })
})

describe('an edit of a list', () => {
  const refusal = Object.assign(Object.create(PreconditionFailedError.prototype) as Error, { message: 'changed' })

  it('is made again to what someone else has written', async () => {
    const written: number[] = []
    const result = await editList(
      { version: 1 },
      {
        read: async () => ({ version: 2 }),
        write: async ({ version }) => {
          written.push(version)
          if (version === 1) throw refusal
          return 'done'
        },
      },
    )
    assert.deepEqual([result, written], ['done', [1, 2]])
  })

  it('gives up after three tries, and at once after another error', async () => {
    let tries = 0
    const editing = (error: Error) => ({
      read: async () => ({ version: 2 }),
      write: async (): Promise<void> => {
        tries++
        throw error
      },
    })
    await assert.rejects(editList({ version: 1 }, editing(refusal)), PreconditionFailedError)
    assert.equal(tries, 3)
    await assert.rejects(editList({ version: 1 }, editing(new Error('other'))), /other/)
    assert.equal(tries, 4)
  })

  it('adds a value once and leaves the others in their places', () => {
    assert.deepEqual(withValue(['a', 'b'], 'c', true), ['a', 'b', 'c'])
    assert.deepEqual(withValue(['a', 'b'], 'a', true), ['a', 'b'])
    assert.deepEqual(withValue(['a', 'b'], 'a', false), ['b'])
  })
})
