import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { mentionsIn } from './mentions.js'

const namesIn = (text: string): string[] => mentionsIn(text).map(({ name }) => name)

describe('mentions in a text', () => {
  it('are found in prose, once each, in lower case', () => {
    assert.deepEqual(namesIn('@ada and @Grace-Hopper, (@linus): _@ken_ **@dennis**; "@ada" @x2.'), [
      ...['ada', 'grace-hopper', 'linus', 'ken', 'dennis', 'x2'],
    ])
    assert.deepEqual(namesIn("@ada's turn\n> @bob?\n- @eve\n1. nested\n    @mallory"), ['ada', 'bob', 'eve', 'mallory'])
    assert.deepEqual(mentionsIn('One\nask `it` @ada please\r\nthree'), [
      { name: 'ada', line: 'ask `it` @ada please\r' },
    ])
  })

  it('are found beside letters of scripts without spaces', () => {
    const texts = [
      '请@ada看一下',
      'これは@adaさんへ',
      'コード@adaー',
      '확인@ada님',
      '，@ada。',
      'ถาม@adaด้วย',
      '々_@ada_々',
    ]
    for (const text of texts) assert.deepEqual(namesIn(text), ['ada'], text)
    for (const text of ['请a@ada', '@ada1看', '@adaé看', '看@ada@看']) assert.notDeepEqual(namesIn(text), ['ada'], text)
  })

  it('are not e-mail addresses, parts of URLs and words, package names or escaped', () => {
    const texts = [
      'ada@example.com',
      'first.@ada',
      'https://host/@ada',
      '@types/node',
      'é@ada',
      '@ada@server',
      '\\@ada',
    ]
    for (const text of [...texts, '@a', '@', '@ada_x', `@${'x'.repeat(33)}`, 'a_b_@ada'])
      assert.deepEqual(namesIn(text), [], text)
  })

  it('are not in code', () => {
    const texts = [
      '`@ada`',
      '``x ` @ada``',
      'a `b\n@ada` c',
      '```\n@ada\n```',
      '~~~ts\n@ada\n```\n@ada\n~~~',
      '````\n```\n@ada\n````',
      '```\n@ada',
      '> ```\n> @ada\n> ```',
      '- x\n\n  ```\n  @ada\n  ```',
      '    @ada',
      'text\n\n\t@ada\n    @ada',
    ]
    for (const text of texts) assert.deepEqual(namesIn(text), [], text)
    assert.deepEqual(namesIn('`a` @ada `b`'), ['ada'])
    assert.deepEqual(namesIn('a ` b\n\n@ada ` c'), ['ada'])
    assert.deepEqual(namesIn('```\nx\n```\n@ada'), ['ada'])
    assert.deepEqual(namesIn('``` `x` ``` @ada'), ['ada'])
    assert.deepEqual(namesIn('text\n    @ada'), ['ada'])
    assert.deepEqual(namesIn('- item\n\n    @ada'), ['ada'])
  })

  it('are found in a time that is linear in the length of the text', () => {
    const texts = ['` ', '@', '_', '看', '看@', '_看', '``` ', '`@a', '_@', '> ', '\n', ' ', '@ab ', '~~~\n', '- ']
    for (const text of texts) {
      const startedAt = performance.now()
      namesIn(`@${text.repeat(65_536 / text.length)}@ada`)
      // Quadratic work on such a text takes tens of seconds.
      assert.ok(performance.now() - startedAt < 5_000, JSON.stringify(text))
    }
  })
})
