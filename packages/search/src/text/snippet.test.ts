import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMatchFinder } from './matches.js'
import { phraseTest } from './phrase.js'
import { stemOf } from './porter2.js'
import { parseQuery } from './query.js'
import { createHighlighter, plainSnippet } from './snippet.js'

const snippet = (query: string, text: string) => createHighlighter()(parseQuery(query))(text).snippetOf()

test('marks matches and escapes the rest', () => {
  assert.equal(
    snippet('running <b>', 'Runs <b>fast</b> & "well"'),
    '<mark>Runs</mark> &lt;b&gt;fast&lt;/b&gt; &amp; &quot;well&quot;',
  )
  assert.equal(snippet('検索', '全文検索の例'), '全文<mark>検索</mark>の例')
  assert.equal(snippet('日', '日😀 日 日<b>'), '<mark>日</mark>😀 <mark>日</mark> <mark>日</mark>&lt;b&gt;')
  assert.equal(snippet('café', 'the CAFE is open'), 'the <mark>CAFE</mark> is open')
})

test('shows the best passage, unless what matches stands elsewhere', () => {
  const text = `A zebra, a zebra and a lion.\n${'Another line.\n'.repeat(100)}The zebra sleeps.`
  const { snippetOf } = createHighlighter()(parseQuery('zebra lion'))(text)
  const end = text.length
  assert.match(snippetOf({ start: end - 17, end }), /The <mark>zebra<\/mark> sleeps\.$/)
  assert.match(snippetOf({ start: end - 100, end: end - 20 }), /^A <mark>zebra/)
  const { snippetOf: unmarked } = createHighlighter()(parseQuery('unicorn'))(text)
  assert.equal(unmarked({ start: end - 17, end }), 'The zebra sleeps.')
})

test('marks stop words where a query is searched for by them', () => {
  assert.equal(snippet('IT', '# IT\n\nIf it breaks'), '# <mark>IT</mark>\n\nIf it breaks')
  assert.equal(snippet('WHO guidelines', 'WHO guidelines'), '<mark>WHO</mark> <mark>guidelines</mark>')
  assert.equal(snippet('who follows guidelines', 'who wrote guidelines'), 'who wrote <mark>guidelines</mark>')
  const text = `${'Another line.\n'.repeat(100)}The count is off-by-one here, and not off by ones.`
  assert.match(snippet('"off by one"', text), /is <mark>off-by-one<\/mark> here, and not off by ones\.$/)
})

test('marks a word by its stem, its parts, its beginning and in any case or accent', () => {
  assert.equal(snippet('die migrat', 'DYING, Migrations'), '<mark>DYING</mark>, <mark>Migrations</mark>')
  assert.equal(
    snippet('fail', 'onFailed(x) and retry-failing'),
    '<mark>onFailed</mark>(x) and retry-<mark>failing</mark>',
  )
  assert.equal(snippet('uber', 'Über 🚀uber'), '<mark>Über</mark> 🚀<mark>uber</mark>')
  assert.equal(snippet('検索 api', '全文検索API'), '全文<mark>検索API</mark>')
})

test('marks words held together where they are searched for as one', () => {
  assert.equal(snippet('timesharing ', 'A time-sharing system'), 'A <mark>time-sharing</mark> system')
  assert.equal(
    snippet('nodejs docs', 'node.js, Node::JS docs'),
    '<mark>node.js</mark>, <mark>Node::JS</mark> <mark>docs</mark>',
  )
  assert.equal(snippet('kubeconf', 'x-y kube_config.'), 'x-y <mark>kube_config</mark>.')
  assert.equal(snippet('tim', 'time-sharing'), '<mark>time</mark>-sharing')
  assert.equal(
    snippet('time-sharing ', 'timesharing, time-sharing'),
    '<mark>timesharing</mark>, <mark>time</mark>-<mark>sharing</mark>',
  )
  assert.equal(snippet('endnext ', 'The end. Next'), 'The end. Next')
  assert.equal(snippet('timesharing ', `a-${'b-'.repeat(300_000)}c`).includes('<mark>'), false)
})

test('shows the passage with the most of the query, in 240 characters', () => {
  const text = `${'filler words here. '.repeat(100)}The rollback needs a token. ${'more filler. '.repeat(100)}rollback`
  const shown = snippet('rollback token?', text)
  assert.match(shown, /<mark>rollback<\/mark> needs a <mark>token<\/mark>/)
  assert.ok(shown.replaceAll(/<\/?mark>/g, '').length <= 240)
})

test('finds the passage wherever it stands', () => {
  const text = `${'lorem ipsum '.repeat(80_000)} the zeppelin lands ${'dolor '.repeat(1_000)}`
  assert.match(snippet('zeppelin', text), /<mark>zeppelin<\/mark> lands/)
})

test('begins at the beginning where nothing matches', () => {
  assert.equal(snippet('nothing', 'First line\nsecond'), 'First line\nsecond')
  assert.ok(snippet('x', '🚀'.repeat(300)).length <= 240)
  assert.equal(snippet('x', ''), '')
})

test('a phrase is words side by side', () => {
  assert.ok(phraseTest(['Blue green'])(['the BLUE-green way']))
  assert.ok(!phraseTest(['blue green'])(['blue and green']))
  assert.ok(!phraseTest(['blue green'])(['blue greenish']))
  assert.ok(phraseTest(['文検'])(['全文検索']))
  for (const between of [' ', '  ', '-', ' - ', '\n', '. ', ' "', '\u00a0', '—']) {
    assert.ok(phraseTest(['blue green'])([`"blue${between}green"`]), between)
  }
  assert.ok(phraseTest(['a b', 'c d', 'A-B'])(['a b', 'c, d!']))
  assert.ok(!phraseTest(['a b', 'c d'])(['a b c', 'd']))
  assert.ok(phraseTest([], ['b c'])(['a b', 'c d']))
  assert.ok(!phraseTest(['a b'], ['b c'])(['a b c']))
})

const trickyWords =
  "getUser HTTPServer user Users USING use using i18n k8s ACME12 acme dying die tying ties sky skies ski cry cries usability usable a1b2 x IDs iOS v2 node20 Node2Go snake_case kebab-case don't hoping hope hop generously general only idly by boy e2e fooBarBaz barFoo XMLHttpRequest http2 relational relate luxuriating"
    .split(' ')
    .concat([
      'Über',
      'uber',
      'CAFÉ',
      'cafe',
      'naïve',
      'Straße',
      'strasse',
      'ﬁle',
      'file',
      'K8s',
      '検索',
      '検索API',
      '索',
      'поиск',
      '🚀use',
      '—',
      '“use”',
    ])

test('marks the same words, few of them searched or many, with letters of ASCII or others', () => {
  const absent = Array.from({ length: 20 }, (_, at) => `${String.fromCharCode(97 + at)}qzzq`).join(' ')
  const finder = createMatchFinder()
  const all = [...trickyWords, ...trickyWords.map((word) => `${word} ${trickyWords[0]}`), 'us', 'use', 'ge', 'HT']
  // A stop word is searched for where it stands alone.
  const queries = all.filter((query) => parseQuery(query).words.length > 0)
  for (const query of queries) {
    const few = finder(parseQuery(query))
    const many = finder(parseQuery(`${absent} ${query}`))
    for (let from = 0; from < trickyWords.length; from += 5) {
      const text = trickyWords.slice(from, from + 12).join(from % 2 ? ' ' : ', ')
      assert.deepEqual(few(text), many(text), `${query} in ${text}`)
      assert.deepEqual(few(`${text} İ`), many(text), `${query} in ${text}`)
    }
  }
})

test('marks all words of one stem, however they end', () => {
  const endings =
    ' y ies ied ying ing ed es s er ers e ely ness al ally ality alism ation ational ations ator ative ate ates ful fully fulness ous ously ousness ive ively iveness ivity ize izer ization ible ibly ibility able ably ability less lessly logy logi ency ently ment ments ion ism ist ity ant'.split(
      ' ',
    )
  const begins = 'sens relat hop hopp d t cr ski sk act norm capt vision dy ty ug gent'.split(' ')
  const byStem = new Map<string, string[]>()
  for (const word of begins.flatMap((begin) => endings.map((ending) => `${begin}${ending}`))) {
    byStem.set(stemOf(word), [...(byStem.get(stemOf(word)) ?? []), word])
  }
  for (const words of byStem.values()) {
    for (const query of words) {
      if (parseQuery(`${query} `).words.length === 0) continue
      for (const word of words) assert.equal(snippet(`${query} `, word), `<mark>${word}</mark>`, query)
    }
  }
})

test('looks through a word as long as a text once', () => {
  for (const word of ['ab', 'aB', 'AB', 'a1', 'ab_']) {
    assert.ok(snippet('ab abc', `x${word.repeat(300_000)}`).length < 2_000)
  }
})

test('does not take apart all of a text that is one word and becomes many', () => {
  // Each of them is four words once it is normalized: this took seconds.
  assert.ok(snippet('ﷺ', 'ﷺ'.repeat(200_000)).length > 0)
  assert.match(snippet('ﷺ', 'before ﷺ after'), /<mark>ﷺ<\/mark>/)
})

test('a plain snippet is the text as it was written', () => {
  for (const text of [
    'Runs <b>fast</b> & "well", isn\'t it',
    'escaped already: &amp; &lt;mark&gt; &amp;amp; <mark>run</mark>',
    '全文検索の例',
    '',
  ]) {
    const html = createHighlighter()(parseQuery('running 検索'))(text).snippetOf()
    assert.equal(plainSnippet(html), text)
  }
})
