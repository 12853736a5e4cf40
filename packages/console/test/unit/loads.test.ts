import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLoads } from '../../src/store/base/loads'

/** Reads that end when they are told to. */
const controlled = () => {
  const reads: { signal: AbortSignal; before: unknown; end: (data: unknown) => void }[] = []
  const read = (signal: AbortSignal, before: unknown) =>
    new Promise<unknown>((end) => reads.push({ signal, before, end }))
  return { reads, read }
}
const settled = (): Promise<void> => new Promise(setImmediate)

describe('what components load', () => {
  it('is read once for all that show it, and dropped with the last of them', async () => {
    const loads = createLoads()
    const { reads, read } = controlled()
    let calls = 0
    const stops = [loads.subscribe('a', () => calls++), loads.hold('a', read), loads.hold('a', read)]
    assert.equal(reads.length, 1)
    reads[0]!.end('data')
    await settled()
    assert.deepEqual(loads.stateOf('a'), { data: 'data', isLoading: false })
    assert.ok(calls > 0)
    for (const stop of stops) stop()
    assert.equal(loads.stateOf('a'), undefined)
  })

  it('is read again after missed changes, and shown until then', async () => {
    const loads = createLoads()
    const { reads, read } = controlled()
    loads.hold('a', read)
    reads[0]!.end('old')
    await settled()
    loads.reloadAll()
    assert.deepEqual(loads.stateOf('a'), { data: 'old', isLoading: true })
    assert.equal(reads[1]!.before, 'old')
    reads[1]!.end('new')
    await settled()
    assert.deepEqual(loads.stateOf('a'), { data: 'new', isLoading: false })
  })

  it('keeps a change that arrives during a read', async () => {
    const loads = createLoads()
    const { reads, read } = controlled()
    loads.hold('a', read)
    reads[0]!.end('1')
    await settled()
    loads.reload('a')
    loads.change('a', (data) => `${data} changed`)
    assert.equal(loads.stateOf('a')!.data, '1 changed')
    reads[1]!.end('2')
    await settled()
    assert.equal(loads.stateOf('a')!.data, '2 changed')
  })

  it('ignores a read that a later one has replaced, and ends one that nobody waits for', async () => {
    const loads = createLoads()
    const { reads, read } = controlled()
    const stop = loads.hold('a', read)
    loads.reload('a')
    assert.equal(reads[0]!.signal.aborted, true)
    reads[1]!.end('new')
    reads[0]!.end('old')
    await settled()
    assert.equal(loads.stateOf('a')!.data, 'new')
    loads.reload('a')
    stop()
    assert.equal(reads[2]!.signal.aborted, true)
  })

  it('keeps what is known when a read fails', async () => {
    const loads = createLoads()
    let fails = false
    loads.hold('a', async () => {
      if (fails) throw new Error('unreachable')
      return 'data'
    })
    await settled()
    fails = true
    loads.reload('a')
    await settled()
    const { data, error } = loads.stateOf('a')!
    assert.deepEqual([data, (error as Error).message], ['data', 'unreachable'])
  })
})
