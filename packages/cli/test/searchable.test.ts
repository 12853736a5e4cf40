import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Worklore } from 'worklore-client'
import { searchableText } from '../src/transfer/searchable.js'

const textOf = (embedding: { waiting: number; searchable: number | null; secondsLeft: number | null } | null) =>
  searchableText({ me: async () => ({ embedding }) } as unknown as Worklore)

test('an import tells how many records are searchable by meaning, and when all are', async () => {
  assert.equal(
    await textOf({ waiting: 1_800, searchable: 8_200, secondsLeft: 170 }),
    '8,200 of 10,000 records are searchable by meaning; about 3 min',
  )
  assert.match((await textOf({ waiting: 100, searchable: 0, secondsLeft: 59 }))!, /; less than a minute$/)
  assert.match((await textOf({ waiting: 100, searchable: 0, secondsLeft: null }))!, / by meaning$/)
})

test('nothing is told where next to none waits, or search uses words alone', async () => {
  assert.equal(await textOf({ waiting: 99, searchable: 5, secondsLeft: 1 }), undefined)
  assert.equal(await textOf(null), undefined)
})
