import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hueOf, initialsOf } from '../../src/components/avatar-look.js'

describe('an avatar', () => {
  it('has the initials of a name, and its number', () => {
    const looks = {
      'Maya Okafor': 'MO',
      maya: 'MA',
      'release-agent': 'RA',
      'agent-1': 'A1',
      'agent-12': 'A12',
      'Worker 3': 'W3',
      'worker-007': 'W7',
      'agent-123': '123',
      'agent-40123': '123',
      '42': '42',
      日本: '日本',
      '': '?',
    }
    for (const [name, initials] of Object.entries(looks)) assert.equal(initialsOf(name), initials, name)
  })

  it('has another color for each of twelve numbered names', () => {
    const hues = Array.from({ length: 12 }, (_, index) => hueOf(`agent-${index + 1}`)).sort((a, b) => a - b)
    const gaps = hues.map((hue, index) => (hue - hues.at(index - 1)! + 360) % 360)
    assert.ok(Math.min(...gaps) >= 15, `${hues}`)
  })
})
