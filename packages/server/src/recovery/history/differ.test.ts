import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { AppError } from '../../base/errors.js'
import { createDiffer, type Differ } from './differ.js'

const stateOf = (content: string): string => JSON.stringify({ key: 'a', content })

const diffOf = async (differ: Differ, from: string, to: string): Promise<string> => {
  const changes = await differ.changes('ten_a', { before: stateOf(from), after: stateOf(to), isFull: false })
  return JSON.parse(changes).content.diff
}

describe('the differ', () => {
  const differ = createDiffer()
  after(() => differ.close())

  it('compares long texts line by line', async () => {
    const lines = Array.from({ length: 200 }, (_, at) => `line ${at}\n`)
    const diff = await diffOf(differ, lines.join(''), lines.with(100, 'another\n').join(''))
    assert.match(diff, /^@@ -98,7 \+98,7 @@\n/)
    assert.match(diff, /\n-line 100\n\+another\n/)
  })

  it('shows texts of too many lines, or too long, as replaced', async () => {
    for (const [text, lines] of [
      ['a\n'.repeat(500_000), 500_000],
      [`${'a'.repeat(999)}\n`.repeat(600), 600],
    ] as const) {
      const diff = await diffOf(differ, text, `b${text}`)
      assert.ok(
        diff.startsWith(`@@ -1,${lines} +1,${lines} @@\n-${text.slice(0, 10).replaceAll('\n', '\n-')}`),
        diff.slice(0, 80),
      )
      assert.ok(diff.length <= 65_536)
    }
  })

  it('shows them whole where they are asked for whole', async () => {
    const [before, after] = [stateOf('a'.repeat(300)), stateOf('b'.repeat(300))]
    const changes = await differ.changes('ten_a', { before, after, isFull: true })
    assert.deepEqual(JSON.parse(changes), { content: { from: 'a'.repeat(300), to: 'b'.repeat(300) } })
  })

  it('ends a thread that takes too long, and goes on with another', async () => {
    const hasty = createDiffer(20)
    const [from, to] = ['a', 'b'].map((letter) =>
      Array.from({ length: 9_000 }, (_, at) => (at % 12 === 0 ? letter : String(at % 7))).join('\n'),
    )
    // Comparing takes longer; so may showing the texts as replaced, on a busy machine.
    const refusalOf = (error: AppError): string => error.code
    const diff = await diffOf(hasty, from!, to!).catch(refusalOf)
    assert.match(diff, /^(@@ -1,9000 \+1,9000 @@\n|SERVICE_UNAVAILABLE$)/)
    const small = () => diffOf(hasty, 'a'.repeat(300), 'b'.repeat(300)).catch(refusalOf)
    let answer = await small()
    while (answer === 'SERVICE_UNAVAILABLE') answer = await small()
    assert.match(answer, /^@@ -1,1 /)
    await hasty.close()
  })

  it('refuses what is still to be compared when it closes', async () => {
    const closing = createDiffer()
    const refused = assert.rejects(diffOf(closing, 'a'.repeat(300), 'b'.repeat(300)), { code: 'SERVICE_UNAVAILABLE' })
    await closing.close()
    await refused
  })
})
