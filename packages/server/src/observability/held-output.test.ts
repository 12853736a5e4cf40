import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { holdOutput } from './held-output.js'

describe('the log of a start', () => {
  it('is held back until it is released, and keeps its order', () => {
    const lines: string[] = []
    const held = holdOutput({ write: (line) => lines.push(line) })
    held.write('1')
    held.write('2')
    assert.deepEqual(lines, [])
    held.release()
    held.write('3')
    held.release()
    assert.deepEqual(lines, ['1', '2', '3'])
  })

  it('is no longer held back once there is much of it', () => {
    const lines: string[] = []
    const held = holdOutput({ write: (line) => lines.push(line) })
    for (let at = 0; at < 1_001; at++) held.write(String(at))
    assert.equal(lines.length, 1_001)
  })

  it('is no longer held back once the start takes long', (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] })
    const lines: string[] = []
    const held = holdOutput({ write: (line) => lines.push(line) })
    held.write('1')
    test.mock.timers.tick(30_000)
    assert.deepEqual(lines, ['1'])
  })
})
