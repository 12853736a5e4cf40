import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { coveringFiles, uncoveredStatements } from './statement-cover.js'

const never = (): boolean => false
const equalCost = (): number => 1

describe('the files that run every statement', () => {
  it('are few, and leave out what others run anyway', () => {
    const statements = { a: ['1', '2', '3'], b: ['3', '4'], c: ['4'], d: ['2'], e: ['5'] }
    assert.deepEqual(coveringFiles(statements, never, equalCost), ['a', 'b', 'e'])
    const isChosenAnyway = (file: string): boolean => file === 'e'
    assert.deepEqual(coveringFiles(statements, isChosenAnyway, equalCost), ['a', 'b'])
  })

  it('are several cheap ones rather than an expensive one', () => {
    const statements = { a: ['1', '2', '3'], b: ['1', '2'], c: ['3'] }
    const costOf = (file: string): number => (file === 'a' ? 5 : 1)
    assert.deepEqual(coveringFiles(statements, never, costOf), ['b', 'c'])
  })

  it('run all of them, none of the files in vain', () => {
    const files = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), fc.array(fc.nat(9).map(String)))
    fc.assert(
      fc.property(files, (statements) => {
        const chosen = coveringFiles(statements, never, equalCost)
        const uncovered = (names: readonly string[]) => uncoveredStatements(statements, (file) => names.includes(file))
        assert.deepEqual(uncovered(chosen), [])
        for (const file of chosen) assert.notDeepEqual(uncovered(chosen.filter((other) => other !== file)), [])
      }),
    )
  })

  it('are reported when they no longer run a statement', () => {
    const statements = { a: ['1'], b: ['1', '2'] }
    assert.deepEqual(
      uncoveredStatements(statements, (file) => file === 'a'),
      [{ text: '2', file: 'b' }],
    )
  })
})
