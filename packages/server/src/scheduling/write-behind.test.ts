import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createWriteBehind } from './write-behind.js'

describe('a write-behind buffer', () => {
  const start = (maxEntries = 10) => {
    const written: [string, [string, number][]][] = []
    const state = { isAway: false }
    const buffer = createWriteBehind<number>({
      write: async (tenantId, entries) => {
        await Promise.resolve()
        if (state.isAway) throw new Error('the store is away')
        written.push([tenantId, entries.map(([key, value]) => [key, value])])
      },
      merge: (older, newer) => older + newer,
      maxEntries,
      entriesPerWrite: 2,
    })
    return { buffer, written, state }
  }

  it('writes the entries of each tenant separately, a few at a time', async () => {
    const { buffer, written } = start()
    for (const key of ['a', 'b', 'c', 'a']) buffer.add('one', key, 1)
    buffer.add('two', 'a', 1)
    assert.equal(buffer.get('one', 'a'), 2)
    await buffer.flush('one')
    assert.deepEqual(written, [
      [
        'one',
        [
          ['a', 2],
          ['b', 1],
        ],
      ],
      ['one', [['c', 1]]],
    ])
    assert.deepEqual([buffer.has('one'), buffer.has('two')], [false, true])
    await buffer.flush()
    assert.equal(written.length, 3)
  })

  it('keeps entries that could not be written, and merges those added in the meantime', async () => {
    const { buffer, written, state } = start()
    state.isAway = true
    buffer.add('one', 'a', 1)
    const failing = buffer.flush()
    await Promise.resolve()
    assert.ok(buffer.has('one'), 'an entry that is being written is not written yet')
    buffer.add('one', 'a', 10)
    await assert.rejects(failing, /away/)
    assert.equal(buffer.get('one', 'a'), 11)
    state.isAway = false
    await buffer.flush()
    assert.deepEqual(written, [['one', [['a', 11]]]])
    assert.ok(!buffer.has('one'))
  })

  it('counts entries that are being written toward its maximum', async () => {
    const { buffer, state } = start(2)
    state.isAway = true
    assert.ok(buffer.add('one', 'a', 1) && buffer.add('two', 'a', 1))
    const failing = buffer.flush()
    await Promise.resolve()
    assert.equal(buffer.add('one', 'b', 1), false)
    await assert.rejects(failing, /away/)
    assert.equal(buffer.add('one', 'b', 1), false)
    assert.equal(buffer.add('one', 'a', 1), true)
    state.isAway = false
    await buffer.flush()
    assert.equal(buffer.add('one', 'b', 1), true)
  })

  it('resolves a flush once everything added before the flush is written', async () => {
    const { buffer, written } = start()
    buffer.add('one', 'a', 1)
    const first = buffer.flush()
    buffer.add('one', 'b', 1)
    await buffer.flush('one')
    assert.deepEqual(
      written.flatMap(([, entries]) => entries.map(([key]) => key)),
      ['a', 'b'],
    )
    await first
  })
})
