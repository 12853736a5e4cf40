import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createMatchFinder } from '../text/matches.js'
import { parseQuery } from '../text/query.js'
import { bestPassages, type WindowCosine } from './best-passages.js'
import { sectionsOf } from './sections.js'

const guide = `# Setup

Read this first.

## Linux

Install the package.

### Proxy

Set the variable HTTPS_PROXY.

\`\`\`
# not a heading
\`\`\`

## macOS

Use the installer.
`

const passagesOf = (query: string, text: string, windows: WindowCosine[] = [], count = 3) =>
  bestPassages(text, count, {
    matches: createMatchFinder()(parseQuery(query))(text),
    weightOf: () => 1,
    totalWeight: parseQuery(query).words.length,
    windows,
  })

describe('sections of a Markdown text', () => {
  it('are what is below each heading, and know the headings above', () => {
    const paths = sectionsOf(guide).map(({ headings }) => headings.map(({ text }) => text).join(' › '))
    assert.deepEqual(paths, ['Setup', 'Setup › Linux', 'Setup › Linux › Proxy', 'Setup › macOS'])
  })

  it('hold all of the text in their order, whatever it is', () => {
    const texts = [guide, '', '\n\n', 'x'.repeat(5_000), '😀'.repeat(3_000), 'a b '.repeat(2_000), '#\n# \n####### x']
    for (const text of texts) {
      let at = 0
      for (const { start, end } of sectionsOf(text)) {
        assert.equal(text.slice(at, start).trim(), '')
        assert.ok(end > start && end - start <= 1_000)
        assert.ok(text.slice(start, end).isWellFormed())
        at = end
      }
      assert.equal(text.slice(at).trim(), '')
    }
  })

  it('are not as many as the headings of a text that has little else', () => {
    assert.ok(sectionsOf('# a\n'.repeat(250_000)).length < 5_000)
  })

  it('of a long text without headings end with its paragraphs', () => {
    const paragraph = `${'word '.repeat(80).trim()}.`
    const text = [paragraph, paragraph, paragraph, paragraph].join('\n\n')
    assert.deepEqual(
      sectionsOf(text).map(({ start, end }) => text.slice(start, end).trim()),
      [`${paragraph}\n\n${paragraph}`, `${paragraph}\n\n${paragraph}`],
    )
  })
})

describe('the best passages of a text', () => {
  it('are found by their words and those of the headings above', () => {
    const [best] = passagesOf('linux variable', guide)
    assert.deepEqual(best?.headings, ['Setup', 'Linux', 'Proxy'])
    assert.equal(guide.slice(best?.start, best?.end), best?.text)
    assert.ok(best!.score > 0 && best!.score <= 1)
    assert.equal(guide.split('\n')[best!.line - 1], '### Proxy')
  })

  it('are found by meaning where no word matches', () => {
    const start = guide.indexOf('## macOS')
    const windows = [
      { start: 0, end: start, cosine: 0.1 },
      { start, end: guide.length, cosine: 0.6 },
    ]
    assert.deepEqual(passagesOf('zebra', guide, windows)[0]?.headings, ['Setup', 'macOS'])
  })

  it('are the beginning where nothing matches, and as many as are wanted', () => {
    assert.deepEqual(
      passagesOf('zebra', guide).map(({ start }) => start),
      [0],
    )
    assert.equal(passagesOf('setup', guide).length, 3)
    assert.deepEqual(passagesOf('setup', guide, [], 0), [])
    assert.deepEqual(passagesOf('setup', ''), [])
  })
})
