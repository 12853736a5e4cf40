import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { IndexFilter } from '../index/filter.js'
import { createWordIndex, type IndexedDocument, type WordIndex } from '../index/word-index.js'
import { compactIndex, decodeIndex, encodeIndex } from '../snapshot/index-snapshot.js'
import { parseQuery } from '../text/query.js'
import { runToEnd } from '../time-slicing.js'
import { scoreByWords } from './hybrid-score.js'
import { resolveQuery } from './resolve-query.js'
import { nameOf, searchIndex } from './search-index.js'
import { createSearchScratch } from './search-scratch.js'

const NOTES: [ref: string, title: string, body: string, scope?: string][] = [
  ['guides/deploy', 'Deploying the service', 'Build the image, run the migrations, then switch the traffic.', 'a'],
  ['guides/rollback', 'Rolling back', 'Undo a deployment: switch the traffic to the old image.', 'a'],
  ['notes/postgres', 'PostgreSQL tuning', 'Connections, vacuum, and the errors ERR_FOO and TS2345.', 'b'],
  ['notes/kyoto', '京都の旅行', '全文検索の例。', ''],
]

const record = ([ref, title, body, scope = '']: (typeof NOTES)[number]): IndexedDocument => ({
  ref,
  scope,
  title,
  body,
})

const indexOf = (notes = NOTES) => {
  const index = createWordIndex()
  for (const note of notes) index.upsert(record(note))
  return index
}

const search = (index: WordIndex, text: string, filter: IndexFilter = {}, top = 10) =>
  scoreByWords(
    searchIndex(
      index,
      { query: resolveQuery(index, parseQuery(text)), filter, top, countTo: 0, exactNames: [text] },
      createSearchScratch(),
    ).candidates,
  ).map(({ document, ...hit }) => ({ ref: nameOf(index, document).ref, ...hit }))
const refs = (index: WordIndex, text: string, filter?: IndexFilter) => search(index, text, filter).map(({ ref }) => ref)

test('finds by any word, the title before the text', () => {
  assert.deepEqual(refs(indexOf(), 'how are deployments made?'), ['guides/deploy', 'guides/rollback'])
  assert.deepEqual(refs(indexOf(), 'err_foo'), ['notes/postgres'])
  assert.deepEqual(refs(indexOf(), '検索'), ['notes/kyoto'])
  assert.deepEqual(refs(indexOf(), 'zzz unheard'), [])
})

test('finds stop words in titles where a query has no other word', () => {
  const notes: typeof NOTES = [
    ...NOTES,
    ['tasks/it', 'Move the IT to the second floor', 'It is loud.'],
    ['tasks/who', 'Who?', ''],
    ['tasks/need', 'What we need', 'Chairs'],
    ['tasks/text', 'Chairs', 'Who needs it?'],
  ]
  for (const index of [indexOf(notes), runToEnd(decodeIndex(runToEnd(encodeIndex(indexOf(notes)))))!]) {
    assert.deepEqual(refs(index, 'IT'), ['tasks/it'])
    assert.deepEqual(refs(index, 'who'), ['tasks/who'])
    assert.deepEqual(refs(index, 'Need'), ['tasks/need'])
    assert.deepEqual(refs(index, 'we need what'), ['tasks/need'])
    assert.deepEqual(refs(index, 'who it'), [])
    assert.deepEqual(refs(index, 'who chairs').sort(), ['tasks/need', 'tasks/text'])
    assert.deepEqual(refs(index, 'off'), [])
    assert.deepEqual(refs(index, 'whoo'), [])
  }
})

test('finds a name that is a stop word in titles, beside other words', () => {
  const notes: typeof NOTES = [
    ...NOTES,
    ['a/who', 'What WHO recommends', 'Masks.'],
    ['b/who', 'Guidelines of the department', 'Who wrote them?'],
  ]
  const index = indexOf(notes)
  assert.deepEqual(refs(index, 'masks by WHO'), ['a/who'])
  assert.deepEqual(refs(index, 'guidelines by WHO').sort(), ['a/who', 'b/who'])
  for (const query of ['guidelines by who', 'GUIDELINES BY WHO', 'guidelines NOT traffic']) {
    assert.equal(refs(index, query).includes('a/who'), false, query)
  }
})

test('scores lie between 0 and 1, and an exact ref is 1 and first', () => {
  const [first, second] = search(indexOf([...NOTES, ['other', 'On guides', 'And rollback', 'a']]), 'guides/rollback')
  assert.equal(first?.ref, 'guides/rollback')
  assert.equal(first?.score, 1)
  assert.ok(second && second.score > 0 && second.score < 1)
})

test('a change replaces, a removal removes, and statistics follow', () => {
  const index = indexOf()
  index.upsert(record(['guides/deploy', 'Shipping', 'Nothing of the old text.', 'a']))
  index.remove('notes/postgres')
  assert.deepEqual(refs(index, 'migrations'), [])
  assert.deepEqual(refs(index, 'shipping'), ['guides/deploy'])
  assert.deepEqual(refs(index, 'vacuum'), [])
  const fresh = indexOf([NOTES[3]!, NOTES[1]!, ['guides/deploy', 'Shipping', 'Nothing of the old text.', 'a']])
  for (const text of ['switch old text', 'traffic', 'shipp', '旅行']) {
    assert.deepEqual(search(index, text), search(fresh, text))
    assert.deepEqual(search(runToEnd(compactIndex(index)), text), search(fresh, text))
  }
})

test('a scope is removed at once', () => {
  const index = indexOf()
  assert.equal(index.removeScope('a'), 2)
  assert.deepEqual(refs(index, 'deploy traffic postgresql'), ['notes/postgres'])
})

test('filters by scope, prefix, facets and dates before the cut', () => {
  const index = createWordIndex()
  for (let at = 0; at < 500; at++) {
    index.upsert({
      ref: `T-${at}`,
      scope: at % 2 ? 'odd' : 'even',
      title: 'same words',
      body: '',
      facets: [`status:${at === 499 ? 'done' : 'todo'}`, `label:${at % 5}`],
      dates: { due: at < 10 ? at : Number.NaN, updated: at },
    })
  }
  const found = (filter: IndexFilter) => search(index, 'words', filter, 3).map(({ ref }) => ref)
  assert.deepEqual(found({}), ['T-0', 'T-1', 'T-2'])
  assert.deepEqual(found({ facets: [['status:done']] }), ['T-499'])
  assert.deepEqual(found({ facets: [['status:done', 'status:none'], ['label:4']] }), ['T-499'])
  assert.deepEqual(found({ facets: [['status:done'], ['label:1']] }), [])
  assert.deepEqual(found({ scopes: ['odd'], namePrefix: 'T-2' }), ['T-21', 'T-23', 'T-25'])
  assert.deepEqual(found({ dueAfter: 6, dueBefore: 9 }), ['T-7', 'T-8'])
  assert.deepEqual(found({ updatedAfter: 498 }), ['T-499'])
  assert.deepEqual(found({ scopes: [] }), [])
  assert.deepEqual(found({ exceptScopes: ['even', 'unknown'], namePrefix: 'T-2' }), ['T-21', 'T-23', 'T-25'])
})

test('quoted words must all be there, excluded ones must not', () => {
  assert.deepEqual(refs(indexOf(), '"old image"'), ['guides/rollback'])
  assert.deepEqual(refs(indexOf(), 'image -undo'), ['guides/deploy'])
  assert.deepEqual(refs(indexOf(), '"image unheard"'), [])
})

test('corrects a word that is not known, and only then', () => {
  assert.deepEqual(refs(indexOf(), 'migratoins?'), ['guides/deploy'])
  assert.deepEqual(refs(indexOf(), 'postgrseql?'), ['notes/postgres'])
  const [corrected] = search(indexOf(), 'vacum?')
  const [right] = search(indexOf(), 'vacuum?')
  assert.ok(corrected && right && corrected.score < right.score)
  assert.deepEqual(refs(indexOf(), '2346?'), [])
})

test('the last word may be unfinished', () => {
  assert.deepEqual(refs(indexOf(), 'conne'), ['notes/postgres'])
  assert.deepEqual(refs(indexOf(), 'connecti'), ['notes/postgres'])
})

test('a snapshot holds the same index, and says when it is damaged', () => {
  const index = indexOf()
  index.remove('guides/deploy')
  const bytes = runToEnd(encodeIndex(index))
  const again = runToEnd(decodeIndex(bytes))!
  for (const text of ['image', 'err_foo', '全文', 'rollback "old image"']) {
    assert.deepEqual(search(again, text), search(index, text))
  }
  again.upsert(record(NOTES[0]!))
  assert.deepEqual(refs(again, 'migrations'), ['guides/deploy'])
  bytes[20]! ^= 1
  assert.throws(() => runToEnd(decodeIndex(bytes)), /damaged/)
})

test('a snapshot keeps facets and dates, whatever kind of bytes it comes back as', () => {
  const index = createWordIndex()
  for (const at of [1, 2, 3]) {
    const dates = { due: at === 2 ? Number.NaN : at * 1000, updated: at }
    index.upsert({ ref: `T-${at}`, scope: 'p', title: 'twin', body: '', facets: [`label:${at}`], dates })
  }
  index.remove('T-1')
  const bytes = runToEnd(encodeIndex(index))
  const stored = Buffer.concat([Buffer.from('other bytes before'), bytes]).subarray(18)
  const again = runToEnd(decodeIndex(stored))!
  again.upsert({ ref: 'T-4', scope: 'p', title: 'twin', body: '', facets: ['label:2'], dates: { due: 5, updated: 4 } })
  assert.deepEqual(refs(again, 'twin', { dueAfter: 1 }), ['T-3', 'T-4'])
  assert.deepEqual(refs(again, 'twin', { facets: [['label:2']] }), ['T-2', 'T-4'])
  assert.deepEqual(refs(again, 'twin', { updatedAfter: 2, facets: [['label:1', 'label:3']] }), ['T-3'])
})

test('the order of coming does not matter', () => {
  const notes = Array.from({ length: 300 }, (_, at): [string, string, string] => [
    `n/${(at * 7919) % 300}`,
    `topic ${at % 7}`,
    `alpha ${'beta '.repeat(at % 3)} gamma${at % 11}`,
  ])
  const forwards = indexOf(notes)
  const backwards = indexOf(notes.toReversed())
  for (const text of ['alpha', 'alpha beta topic 3', 'gamm', 'gamma5 alhpa?']) {
    assert.deepEqual(search(forwards, text), search(backwards, text))
  }
})

test('passing over documents that cannot reach the top changes nothing', () => {
  const index = createWordIndex()
  for (let at = 0; at < 6000; at++) {
    const body = `common ${at % 3 ? 'often ' : ''}${at % 50 === 0 ? 'rare ' : ''}${'pad '.repeat(at % 13)}`
    index.upsert({ ref: `r${at}`, scope: '', title: '', body })
  }
  const all = search(index, 'rare often common?', {}, 6000).slice(0, 20)
  assert.deepEqual(search(index, 'rare often common?', {}, 20), all)
})

test('counts what matches as far as it is asked to, what is named exactly included, whatever is shown', () => {
  const index = indexOf(
    Array.from({ length: 40 }, (_, at) => [`n/${at}`, 'A note', at === 7 ? 'common zeppelin' : 'common']),
  )
  const counted = (text: string, top: number, countTo: number) =>
    searchIndex(
      index,
      { query: resolveQuery(index, parseQuery(text)), filter: {}, top, countTo, exactNames: [text] },
      createSearchScratch(),
    ).matches
  assert.equal(counted('common', 5, 100), 40)
  assert.equal(counted('common', 5, 30), 30)
  assert.equal(counted('zeppelin', 5, 100), 1)
  assert.equal(counted('common zeppelin note', 2, 100), 40)
  index.upsert(record(['named', 'Another', 'Nothing of its name']))
  assert.equal(counted('named', 5, 100), 1)
})

const LONG = [
  ...Array.from({ length: 60 }, (_, at) => `Lamp ${at} is replaced by the caretaker in spring, as every year.`),
  'The key of the server room hangs in the safe.',
  ...Array.from({ length: 60 }, (_, at) => `Desk ${at} stands beside a window on the upper floors of the house.`),
  'Nobody smokes in the elevator.',
].join('\n')
const HOUSE: typeof NOTES = [
  ['long', 'Handbook', LONG, 'a'],
  ['room', 'Meeting room', 'Book it in the calendar.', 'a'],
  ['server', 'Print server', 'It is in the basement.', 'b'],
  ['key', 'Parking', 'Ask for a key.', 'b'],
]

test('the words of a long text count by passage, and it is one hit', () => {
  const index = indexOf(HOUSE)
  assert.ok(index.size > HOUSE.length)
  assert.deepEqual(refs(index, 'server room key')[0], 'long')
  const { matches } = searchIndex(
    index,
    { query: resolveQuery(index, parseQuery('lamp desk server.')), filter: {}, top: 10, countTo: 100, exactNames: [] },
    createSearchScratch(),
  )
  assert.equal(matches, 2)
  assert.deepEqual(refs(index, 'lamp'), ['long'])
  assert.deepEqual(refs(index, 'lamp', { scopes: ['b'] }), [])
})

test('the passages of one text leave room for other hits', () => {
  const index = indexOf([
    ['long', 'Airships', 'The zeppelin and the other zeppelin meet a zeppelin. '.repeat(200), 'a'],
    ...['ant', 'bee', 'cat', 'dog'].map((ref): (typeof NOTES)[number] => [ref, ref, `A ${ref} saw a zeppelin.`, 'a']),
    ...Array.from({ length: 60 }, (_, at): (typeof NOTES)[number] => [`n${at}`, 'Note', 'Nothing of the kind.', 'a']),
  ])
  const search = { query: resolveQuery(index, parseQuery('zeppelin.')), filter: {}, countTo: 100, exactNames: [] }
  const { candidates } = searchIndex(index, { ...search, top: 3 }, createSearchScratch())
  assert.equal(candidates.length, 3)
  assert.equal(new Set(candidates.map(({ document }) => document)).size, 3)
})

test('what is required or excluded may stand in another passage', () => {
  const index = indexOf(HOUSE)
  assert.deepEqual(refs(index, '"server room" "elevator"'), ['long'])
  assert.deepEqual(refs(index, 'server -elevator'), ['server'])
})

test('a long text is replaced, removed, compacted and stored with all its passages', () => {
  const index = indexOf(HOUSE)
  index.upsert(record(['long', 'Handbook', LONG.replaceAll('elevator', 'lift'), 'a']))
  const copies = [index, runToEnd(compactIndex(index)), runToEnd(decodeIndex(runToEnd(encodeIndex(index))))!]
  for (const copy of copies) {
    assert.deepEqual(refs(copy, 'elevator'), [])
    assert.deepEqual(refs(copy, 'lift'), ['long'])
    assert.equal(refs(copy, 'server room key')[0], 'long')
    assert.equal(copy.remove('long'), true)
    assert.deepEqual(refs(copy, 'lift'), [])
    assert.equal(copy.size, HOUSE.length - 1)
  }
})

test('a phrase of stop words narrows what is found', () => {
  const index = indexOf([
    ['a', 'Paging', 'It was off by one.'],
    ['b', 'Lights', 'One by one they went off.'],
    ['c', 'Doors', 'They open.'],
  ])
  assert.deepEqual(refs(index, '"off by one"'), ['a'])
})

test('equal scores are ordered as people count', () => {
  const index = indexOf(['BOT-12', 'BOT-3', 'BOT-2', 'BOT-0012'].map((ref) => [ref, 'Same', 'text']))
  assert.deepEqual(refs(index, 'same text'), ['BOT-2', 'BOT-3', 'BOT-0012', 'BOT-12'])
})

test('finds compounds by their last part, and by two letters what begins with them', () => {
  const index = indexOf([
    ['a', 'Datenschutzverordnung', 'Anfragen'],
    ['b', 'Access', 'auth'],
  ])
  assert.deepEqual(refs(index, 'Verordnung'), ['a'])
  assert.deepEqual(refs(index, 'au'), ['b'])
})

test('finds a quoted phrase of any number of terms, and never an excluded document', () => {
  const characters = Array.from({ length: 140 }, (_, at) => String.fromCodePoint(0x4e00 + at * 7)).join('')
  const index = indexOf([
    ['kept', 'A text', characters],
    ['excluded', 'A zebra', characters],
  ])
  for (let length = 120; length <= 140; length++) {
    assert.deepEqual(refs(index, `"${characters.slice(0, length)}" -zebra`), ['kept'], `${length} characters`)
  }
})
