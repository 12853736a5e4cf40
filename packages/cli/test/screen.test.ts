import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { forScreen, oneLine, printable, safeJson } from '../src/terminal/screen.js'

/** Every character that is to be kept from a terminal, of those in the first plane and beyond. */
const ranges = [
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0x061c, 0x061c],
  [0x200e, 0x200f],
  [0x2028, 0x202e],
  [0x2066, 0x2069],
  [0xe0001, 0xe007f],
] as const
const unsafe = ranges.flatMap(([from, to]) =>
  Array.from({ length: to - from + 1 }, (_, at) => String.fromCodePoint(from + at)),
)

describe('text on a terminal', () => {
  it('has no control or bidirectional characters', () => {
    for (const character of unsafe) {
      const code = character.codePointAt(0)!.toString(16)
      assert.equal(printable(`a${character}b`), 'a\ufffdb', code)
      assert.ok(!oneLine(`a${character}b`).includes(character), code)
      assert.equal(forScreen(`a${character}b`), 'a\ufffdb', code)
    }
    assert.equal(printable('a\r\nb\tc – ü 漢 👩‍💻'), 'a\nb\tc – ü 漢 👩‍💻')
    assert.equal(
      forScreen('\u001b[31mred\u001b[39m \u001b]0;title\u0007'),
      '\u001b[31mred\u001b[39m \ufffd]0;title\ufffd',
    )
  })

  it('is the same JSON without them', () => {
    const value = { text: unsafe.join('') }
    const json = safeJson(JSON.stringify(value))
    assert.deepEqual(JSON.parse(json), value)
    for (const character of unsafe) assert.ok(!json.includes(character))
  })
})
