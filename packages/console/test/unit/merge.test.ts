import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { isOverlap, mergeTexts, type Part, resolveText } from '../../src/editor/merge.js'

const textOf = (lines: readonly string[]): string => lines.join('\n')
const isClean = (parts: readonly Part[]): boolean => !parts.some(isOverlap)

const merged = (base: string, mine: string, theirs: string): string => {
  const parts = mergeTexts(base, mine, theirs)
  assert.ok(isClean(parts))
  return resolveText(parts, () => 'mine')
}

type Side = 'mine' | 'theirs'

/** Paragraphs that nobody, one side or both replace by so many new lines, each after a line that stays. */
const paragraphs = fc.array(
  fc.record({
    lines: fc.integer({ min: 1, max: 2 }),
    mine: fc.option(fc.nat(3), { nil: undefined }),
    theirs: fc.option(fc.nat(3), { nil: undefined }),
  }),
  { maxLength: 8 },
)

type Paragraphs = typeof paragraphs extends fc.Arbitrary<infer T> ? T : never

const linesOf = (list: Paragraphs, sideOf: (index: number) => Side | undefined): string[] =>
  list.flatMap(({ lines, mine, theirs }, index) => {
    const side = sideOf(index)
    const count = side && { mine, theirs }[side]
    const words = (who: string, many: number) => Array.from({ length: many }, (_, at) => `${who} ${index}.${at}`)
    return [`heading ${index}`, ...(count === undefined ? words('base', lines) : words(side!, count))]
  })

/** A text of few kinds of lines, many of them equal, and what each side made of it with lines of its own. */
const edits = fc.array(fc.record({ at: fc.nat(12), removed: fc.nat(3), added: fc.nat(2) }), { maxLength: 4 })
const editedBy = (side: string, base: readonly string[], list: { at: number; removed: number; added: number }[]) => {
  const lines = [...base]
  for (const [index, { at, removed, added }] of list.entries())
    lines.splice(at, removed, ...Array.from({ length: added }, (_, line) => `${side} ${index}.${line}`))
  return lines
}

describe('merging texts', () => {
  it('keeps the changes of both sides where they are apart', () => {
    fc.assert(
      fc.property(paragraphs, (list) => {
        const single = list.map((each) => (each.mine === undefined ? each : { ...each, theirs: undefined }))
        const of = (side: Side) => (index: number) => (single[index]![side] === undefined ? undefined : side)
        const base = textOf(linesOf(single, () => undefined))
        const mine = textOf(linesOf(single, of('mine')))
        const theirs = textOf(linesOf(single, of('theirs')))
        const expected = textOf(linesOf(single, (index) => of('mine')(index) ?? of('theirs')(index)))
        assert.equal(merged(base, mine, theirs), expected)
        assert.equal(merged(base, theirs, mine), expected)
      }),
    )
  })

  it('shows a place that both changed with both texts, and takes what is chosen there', () => {
    fc.assert(
      fc.property(
        paragraphs,
        fc.array(fc.constantFrom('mine', 'theirs', 'both'), { minLength: 8 }),
        (list, choices) => {
          const of = (side: Side) => (index: number) => (list[index]![side] === undefined ? undefined : side)
          const texts = ([() => undefined, of('mine'), of('theirs')] as const).map((side) =>
            textOf(linesOf(list, side)),
          )
          const parts = mergeTexts(...(texts as [string, string, string]))
          for (const side of ['mine', 'theirs'] as const) {
            const other = side === 'mine' ? 'theirs' : 'mine'
            const expected = textOf(linesOf(list, (index) => of(side)(index) ?? of(other)(index)))
            assert.equal(
              resolveText(parts, () => side),
              expected,
            )
          }
          const lines = resolveText(parts, (overlap) => choices[overlap]!).split('\n')
          for (const [index, part] of parts.filter(isOverlap).entries()) {
            if (choices[index] !== 'theirs') assert.ok(part.mine.every((line) => lines.includes(line)))
            if (choices[index] !== 'mine') assert.ok(part.theirs.every((line) => lines.includes(line)))
          }
        },
      ),
    )
  })

  it('loses no line that either side wrote, however alike the lines are', () => {
    const alike = fc.array(fc.constantFrom('', 'a', 'b', '- '), { maxLength: 12 })
    fc.assert(
      fc.property(alike, edits, edits, (base, mineEdits, theirsEdits) => {
        const [mine, theirs] = [editedBy('mine', base, mineEdits), editedBy('theirs', base, theirsEdits)]
        const parts = mergeTexts(textOf(base), textOf(mine), textOf(theirs))
        const has = (choice: 'mine' | 'theirs' | 'both', side: string[], name: string): void => {
          const lines = resolveText(parts, () => choice).split('\n')
          for (const line of side.filter((each) => each.startsWith(name))) assert.ok(lines.includes(line), line)
        }
        has('mine', mine, 'mine')
        has('theirs', theirs, 'theirs')
        has('both', mine, 'mine')
        has('both', theirs, 'theirs')
        assert.equal(merged(textOf(base), textOf(mine), textOf(base)), textOf(mine))
        assert.equal(merged(textOf(base), textOf(base), textOf(theirs)), textOf(theirs))
        assert.equal(merged(textOf(base), textOf(mine), textOf(mine)), textOf(mine))
      }),
    )
  })

  it('takes texts that have little in common as one place', () => {
    const long = (name: string) => textOf(Array.from({ length: 2_000 }, (_, index) => `${name} ${index}`))
    const parts = mergeTexts(long('base'), long('mine'), long('theirs'))
    assert.equal(parts.length, 1)
    assert.equal(
      resolveText(parts, () => 'both'),
      `${long('theirs')}\n${long('mine')}`,
    )
  })
})
