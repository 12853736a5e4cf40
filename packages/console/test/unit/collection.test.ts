import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createCollection } from '../../src/store/base/collection'

interface Named {
  id: string
  name: string
}

/** Pauses each read before its last record, until `finish` is called. */
const pausedReads = (...records: Named[]) => {
  const waiting: (() => void)[] = []
  return {
    finish: (read: number) => waiting[read]!(),
    readAll: async function* () {
      yield* records.slice(0, -1)
      await new Promise<void>((resolve) => waiting.push(resolve))
      yield* records.slice(-1)
    },
  }
}

const byName = (a: Named, b: Named): number => (a.name < b.name ? -1 : 1)

describe('a collection of the console', () => {
  it('keeps what is created, changed and deleted while it loads', async () => {
    const { finish, readAll } = pausedReads(
      { id: '1', name: 'a' },
      { id: '2', name: 'b' },
      { id: '3', name: 'c' },
      { id: '4', name: 'd' },
    )
    const collection = createCollection(readAll, byName)
    const loaded = collection.load()
    await new Promise(setImmediate)
    collection.put({ id: '5', name: 'new' })
    collection.put({ id: '2', name: 'renamed' })
    collection.remove('1')
    collection.remove('4')
    finish(0)
    await loaded
    assert.deepEqual(
      collection.records.get().list.map(({ name }) => name),
      ['c', 'new', 'renamed'],
    )
    assert.equal(collection.records.get().isLoaded, true)
    collection.remove('5')
    assert.equal(collection.get('5'), undefined)
  })

  it('ignores a load that a later one has overtaken', async () => {
    const { finish, readAll } = pausedReads({ id: '1', name: 'a' }, { id: '2', name: 'b' })
    const collection = createCollection(readAll, byName)
    const loads = [collection.load(), collection.load()]
    await new Promise(setImmediate)
    collection.remove('1')
    finish(1)
    await loads[1]
    finish(0)
    await loads[0]
    assert.deepEqual(
      collection.records.get().list.map(({ id }) => id),
      ['2'],
    )
  })
})
