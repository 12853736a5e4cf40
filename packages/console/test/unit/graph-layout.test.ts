import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { diffOf } from '../../src/components/diff/diff-lines'
import { type Edge, nodeHeightPx, nodeWidthPx, place } from '../../src/tasks/graph/layout'

const idOf = (at: number): string => `A-${at}`

/** Acyclic graphs: edges lead from lower to higher numbers. */
const graphs = fc
  .tuple(fc.integer({ min: 1, max: 12 }), fc.array(fc.tuple(fc.nat(11), fc.nat(11)), { maxLength: 20 }))
  .map(([count, pairs]) => {
    const edges = new Map<string, Edge>()
    for (const [one, other] of pairs) {
      const [from, to] = [Math.min(one, other), Math.max(one, other)]
      if (from !== to && to < count) edges.set(`${from} ${to}`, { from: idOf(from), to: idOf(to) })
    }
    return { ids: Array.from({ length: count }, (_, at) => idOf(at)), edges: [...edges.values()] }
  })

describe('the graph of tasks', () => {
  it('has what blocks a task to the left of it, and no two tasks in one place', () => {
    fc.assert(
      fc.property(graphs, ({ ids, edges }) => {
        const { nodes, width, height } = place(ids, edges)
        const nodeOf = new Map(nodes.map((node) => [node.id, node]))
        for (const { from, to } of edges) assert.ok(nodeOf.get(from)!.x + nodeWidthPx < nodeOf.get(to)!.x)
        for (const [at, one] of nodes.entries()) {
          assert.ok(one.x >= 0 && one.y >= 0 && one.x + nodeWidthPx <= width && one.y + nodeHeightPx <= height)
          for (const other of nodes.slice(at + 1))
            assert.ok(one.x !== other.x || Math.abs(one.y - other.y) >= nodeHeightPx, `${one.id} and ${other.id}`)
        }
      }),
    )
  })

  it('is the same picture for the same tasks', () => {
    fc.assert(fc.property(graphs, ({ ids, edges }) => assert.deepEqual(place(ids, edges), place(ids, edges))))
  })

  it('puts what nothing blocks just before what it blocks, and draws every edge', () => {
    const edges = [
      { from: 'a', to: 'b' },
      { from: 'b', to: 'c' },
      { from: 'late', to: 'c' },
      { from: 'a', to: 'c' },
    ]
    const placed = place(['a', 'b', 'c', 'late'], edges)
    assert.deepEqual(
      placed.nodes.map(({ id, layer }) => [id, layer]),
      [
        ['a', 0],
        ['b', 1],
        ['c', 2],
        ['late', 1],
      ],
    )
    assert.equal(placed.edges.length, 4)
    for (const { path } of placed.edges) assert.match(path, /^M\d+ \d+(?:C[\d ]+(?:H\d+)?)+$/)
  })

  it('shows tasks in a circle, too, and nothing where there are none', () => {
    const circle = place(
      ['a', 'b'],
      [
        { from: 'a', to: 'b' },
        { from: 'b', to: 'a' },
      ],
    )
    assert.deepEqual(
      circle.nodes.map(({ id }) => id),
      ['a', 'b'],
    )
    assert.deepEqual(place([], []).nodes, [])
  })
})

describe('the difference of two texts', () => {
  it('shows what changed with three lines around it', () => {
    const lines = Array.from({ length: 20 }, (_, at) => `line ${at}`)
    const changed = lines.with(10, 'new')
    assert.deepEqual(
      diffOf(lines.join('\n'), changed.join('\n')).map(({ kind, text }) => `${kind} ${text}`),
      [
        'gap 7 unchanged lines',
        ...['same line 7', 'same line 8', 'same line 9', 'removed line 10', 'added new'],
        ...['same line 11', 'same line 12', 'same line 13'],
        'gap 6 unchanged lines',
      ],
    )
  })

  it('gives back both texts', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', '')).map((lines) => [...lines, 'end'].join('\n'))
    fc.assert(
      fc.property(text, text, (before, after) => {
        const shown = diffOf(before, after)
        // A gap hides unchanged lines, so the texts cannot be rebuilt from what is shown.
        if (shown.some(({ kind }) => kind === 'gap')) return
        const textOf = (gone: string): string =>
          shown
            .filter(({ kind }) => kind !== gone)
            .map((line) => line.text)
            .join('\n')
        assert.deepEqual([textOf('added'), textOf('removed')], [before, after])
      }),
    )
  })
})
