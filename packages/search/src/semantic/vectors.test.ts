import assert from 'node:assert/strict'
import { test } from 'node:test'
import { distanceBetween, signatureOf, signatureWords } from './signatures.js'
import { cosine, quantizeVector } from './vectors.js'

const wave = (seed: number) =>
  Float32Array.from({ length: 384 }, (_, i) => Math.sin(i * 1.7 + seed) + Math.cos(i * seed))

test('int8 keeps the cosine', () => {
  for (let i = 1; i < 50; i++) {
    const exact = cosine(wave(i), wave(i + 0.1))
    assert.ok(Math.abs(cosine(quantizeVector(wave(i)), quantizeVector(wave(i + 0.1))) - exact) < 0.002)
  }
  assert.equal(cosine(quantizeVector(new Float32Array(384)), quantizeVector(wave(1))), 0)
})

test('the distance between signatures is the number of bits in which they differ', () => {
  const rows = 2000
  const words = signatureWords(384)
  const packed = new Uint32Array(rows * words)
  for (let row = 0; row < rows; row++) packed.set(signatureOf(wave(row * 0.37)), row * words)
  const query = signatureOf(wave(5))

  const distance = (row: number) => {
    let sum = 0
    for (let i = 0; i < 384; i++) {
      const word = packed[row * words + (i >> 5)]! ^ query[i >> 5]!
      sum += (word >>> (i & 31)) & 1
    }
    return sum
  }
  for (let row = 0; row < rows; row++) assert.equal(distanceBetween(packed, row * words, query), distance(row))
})
