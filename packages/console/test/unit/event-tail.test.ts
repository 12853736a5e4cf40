import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ChangeEvent } from 'worklore-client'
import { type EventTail, withNewer } from '../../src/events/event-tail'

const events = (...sequences: number[]): ChangeEvent[] => sequences.map((sequence) => ({ sequence }) as ChangeEvent)
const sequencesOf = ({ events }: EventTail): number[] => events.map(({ sequence }) => sequence)

describe('the tail of the event log', () => {
  it('keeps events that arrived while it was read, each once', () => {
    const read = { events: events(7, 6, 5), before: 5 }
    const tail = withNewer(read, events(9, 8, 7, 6), 100)
    assert.deepEqual(sequencesOf(tail), [9, 8, 7, 6, 5])
    assert.equal(tail.before, 5)
  })

  it('drops the oldest events beyond its limit, and continues from there', () => {
    const tail = withNewer({ events: events(3, 2, 1), before: null }, events(5, 4), 4)
    assert.deepEqual(sequencesOf(tail), [5, 4, 3, 2])
    assert.equal(tail.before, 2)
  })

  it('starts with what arrives if the log was empty', () => {
    assert.deepEqual(sequencesOf(withNewer({ events: [], before: null }, events(1), 10)), [1])
  })
})
