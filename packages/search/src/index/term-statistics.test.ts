import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scoreByWords } from '../ranking/hybrid-score.js'
import { resolveQuery } from '../ranking/resolve-query.js'
import { nameOf, searchIndex } from '../ranking/search-index.js'
import { createSearchScratch } from '../ranking/search-scratch.js'
import { parseQuery } from '../text/query.js'
import type { IndexFilter } from './filter.js'
import { termStatisticsOf } from './term-statistics.js'
import { createWordIndex, type WordIndex } from './word-index.js'

const search = (index: WordIndex, text: string, filter: IndexFilter) => {
  const query = resolveQuery(index, parseQuery(text), termStatisticsOf(index, filter))
  const options = { query, filter, top: 10, countTo: 0, exactNames: [] }
  return scoreByWords(searchIndex(index, options, createSearchScratch()).candidates).map(({ document, score }) => ({
    ref: nameOf(index, document).ref,
    score,
  }))
}

const indexOf = (secrets: number) => {
  const index = createWordIndex()
  for (let at = 0; at < 40; at++) {
    const body = at % 4 === 0 ? 'The turbine needs oil' : `Paint number ${at} for the turbine house`
    index.upsert({ ref: `open-${at}`, scope: at % 2 === 0 ? 'a' : 'b', title: `Note ${at}`, body })
  }
  for (let at = 0; at < secrets; at++) {
    const body = `Oil and paint for project kestrel, kestrels and turbines ${'secret '.repeat(at)}`
    index.upsert({ ref: `secret-${at}`, scope: 'secret', title: 'Kestrel', body })
  }
  return index
}

test('scores do not depend on documents that a search does not cover', () => {
  const [without, withSecrets] = [indexOf(0), indexOf(2_000)]
  for (const filter of [{ exceptScopes: ['secret'] }, { scopes: ['a', 'b'] }, { scopes: ['a'] }]) {
    for (const text of [
      'oil',
      'turbine oil',
      'paint',
      'kestrel',
      'kestral',
      'kes',
      'turbines secret',
      '"turbine house"',
    ]) {
      assert.deepEqual(search(withSecrets, text, filter), search(without, text, filter), text)
    }
  }
  assert.notDeepEqual(search(withSecrets, 'oil', {}), search(without, 'oil', {}))
})

test('statistics follow changes and removals', () => {
  const index = indexOf(10)
  index.upsert({ ref: 'open-0', scope: 'b', title: 'Moved', body: 'Nothing about engines' })
  index.removeScope('secret')
  const statistics = termStatisticsOf(index, { scopes: ['a'] })
  assert.equal(statistics.size, 19)
  assert.equal(statistics.documentFrequency(index.vocabulary.find('oil')), 9)
  assert.equal(termStatisticsOf(index, { exceptScopes: ['a'] }).size, 21)
  assert.equal(termStatisticsOf(index).size, 40)
})
