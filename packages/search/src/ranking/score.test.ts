import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { nearnessTo } from '../semantic/candidates.js'
import { falling, relevanceByWords, relevanceOf, type WordParts, wordWeight } from './score.js'

const words = (strength: number, coverage: number): WordParts => ({ bm25: 0, strength, lexical: 0, coverage })
const traits = { outOfVocabularyShare: 0, isOneWord: false }

describe('relevance', () => {
  it('rises with every cosine', () => {
    const scores = [0.2, 0.45, 0.6, 0.75, 0.9].map((cosine) => relevanceOf(words(0.3, 0.3), cosine, traits))
    for (const [at, score] of scores.entries()) if (at > 0) assert.ok(score > scores[at - 1]! + 0.03, `${scores}`)
  })

  it('of a text that holds all words does not fall far below what the words say, whatever its cosine', () => {
    assert.ok(relevanceOf(words(0.4, 1), 0.1, traits) >= 0.5)
    assert.ok(relevanceOf(words(0.4, 0.3), 0.1, traits) < 0.3)
  })

  it('of a single word is at least what the words say', () => {
    const found = words(0.5, 0.6)
    assert.ok(relevanceOf(found, 0, { ...traits, isOneWord: true }) >= relevanceByWords(found))
  })

  it('does not rise from hit to hit', () => {
    assert.deepEqual(falling([0.8, 0.9, 0.4, 0.5]), [0.8, 0.8, 0.4, 0.4])
  })
})

describe('the weight of the words', () => {
  it('grows with the number of windows, and with what the model cannot read', () => {
    assert.ok(wordWeight(1_000, 0) > wordWeight(100, 0))
    assert.ok(wordWeight(100, 1) > wordWeight(1_000_000, 0))
  })
})

describe('a text of several windows', () => {
  const query = Float32Array.of(1, 0, 0)
  const stored = (document: number, ...vectors: number[][]) => ({
    document,
    windows: vectors.length,
    vectors: new Uint8Array(Int8Array.from(vectors.flat()).buffer),
  })

  it('is ranked by its nearest window and a little by the next', () => {
    const nearness = nearnessTo(query, [
      stored(1, [100, 0, 0], [0, 100, 0]),
      stored(2, [0, 9, 0], [50, 0, 0], [90, 0, 0]),
    ])
    assert.deepEqual(nearness.get(1), { cosine: 1, ranked: 0.8, windows: [1, 0] })
    assert.deepEqual(nearness.get(2), { cosine: 1, ranked: 1, windows: [0, 1, 1] })
  })
})
