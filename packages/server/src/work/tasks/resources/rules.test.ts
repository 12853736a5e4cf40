import assert from 'node:assert/strict'
import { it } from 'node:test'
import { coveredOf, includes } from './rules.js'

it('a resource includes itself, and a folder what begins with it and its name without the slash', () => {
  const cases: [outer: string, inner: string, isIncluded: boolean][] = [
    ['a', 'a', true],
    ['a/', 'a/', true],
    ['a/', 'a', true],
    ['a', 'a/', false],
    ['a/', 'a/b', true],
    ['a/', 'a/b/', true],
    ['a/', 'a//', true],
    ['a//', 'a', false],
    ['a', 'a/b', false],
    ['a/', 'ab', false],
    ['a/', 'A/b', false],
    ['a/b', 'a/', false],
    ['/', '/a', true],
    ['/', 'a', false],
  ]
  for (const [outer, inner, isIncluded] of cases) assert.equal(includes(outer, inner), isIncluded, `${outer} ${inner}`)
})

it('tells the resources that another one of the list includes', () => {
  assert.deepEqual([...coveredOf(['a/b', 'a', 'c', 'a/', 'b/', 'b'])], ['a/b', 'a', 'b'])
})
