import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Operation, OperationCall } from './operation.js'
import { type Wait, waitForResult } from './waiting.js'

const operationWith = (wait: Wait): Operation => ({ wait: async () => wait }) as unknown as Operation

const call = { actorNow: () => ({ scopes: [] }) } as unknown as OperationCall

it('attempts again only where a look says that there can be a result', async () => {
  const looks = [false, false, true]
  const ends: boolean[] = []
  let attempts = 0
  const wait: Wait = {
    next: async () => looks.length > 0,
    canHaveResult: async () => looks.shift()!,
    end: (isMoreReady) => ends.push(isMoreReady),
  }
  const result = await waitForResult(operationWith(wait), call, {}, async () => ({ isEmpty: ++attempts < 2 }))
  assert.deepEqual({ result, attempts, ends }, { result: { isEmpty: false }, attempts: 2, ends: [true] })
})

it('looks no more once the time is over', async () => {
  let looks = 0
  const wait: Wait = { next: async () => false, canHaveResult: async () => ++looks > 0, end: () => {} }
  const result = await waitForResult(operationWith(wait), call, {}, async () => ({ isEmpty: true }))
  assert.deepEqual({ result, looks }, { result: { isEmpty: true }, looks: 0 })
})
