import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createSharedLookups } from './shared-lookups.js'

const createStore = () => {
  const sent: string[] = []
  let value = 0
  const lookup = createSharedLookups(async (text, params) => {
    sent.push(`${text} ${JSON.stringify(params)}`)
    if (text === 'fail') throw new Error('no store')
    return { value }
  })
  return {
    sent,
    lookup,
    commit: () => {
      value++
    },
  }
}

test('lookups of one turn that are the same are sent once', async () => {
  const { lookup, sent } = createStore()
  const rows = await Promise.all([lookup('a', ['x']), lookup('a', ['y']), lookup('a', ['x']), lookup('b', ['x'])])
  assert.deepEqual(rows, Array(4).fill({ value: 0 }))
  assert.deepEqual(sent, ['a ["x"]', 'a ["y"]', 'b ["x"]'])
  await lookup('a', ['x'])
  assert.equal(sent.length, 4)
})

test('a lookup sees what was committed before it was asked for, though another asked earlier', async () => {
  const { lookup, commit } = createStore()
  const early = lookup('a', [null])
  commit()
  assert.deepEqual(await lookup('a', [null]), { value: 1 })
  assert.deepEqual(await early, { value: 1 })
})

test('null and an empty text are different parameters', async () => {
  const { lookup, sent } = createStore()
  await Promise.all([lookup('a', [null]), lookup('a', [''])])
  assert.equal(sent.length, 2)
})

test('an error reaches all who asked, and the next one asks again', async () => {
  const { lookup, sent } = createStore()
  const both = await Promise.allSettled([lookup('fail', []), lookup('fail', [])])
  assert.deepEqual(
    both.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  await nextTurn()
  await assert.rejects(async () => lookup('fail', []), /no store/)
  assert.equal(sent.length, 2)
})
