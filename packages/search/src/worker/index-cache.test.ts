import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createNotes, TENANT } from './notes-fixture.js'

test('finds what the log says has changed', async () => {
  const notes = createNotes()
  notes.put('a', 'The zeppelin')
  const engine = notes.open()
  assert.deepEqual(await engine.refs('zeppelins'), ['a'])
  notes.put('b', 'Another zeppelin', 'air')
  notes.put('a', 'A balloon')
  assert.deepEqual(await engine.refs('zeppelin'), ['b'])
  notes.removeScope('air')
  assert.deepEqual(await engine.refs('zeppelin'), [])
  notes.remove('a')
  assert.deepEqual(await engine.refs('balloon'), [])
  assert.equal(notes.builds(), 1)
})

test('does not read the log while nothing was committed', async () => {
  const notes = createNotes()
  notes.put('a', 'The zeppelin')
  const engine = notes.open()
  assert.deepEqual(await engine.refs('zeppelin', 'one'), ['a'])
  const reads = notes.logReads()
  assert.deepEqual(await engine.refs('zeppelin', 'one'), ['a'])
  assert.equal(notes.logReads(), reads)

  notes.put('b', 'Another zeppelin')
  assert.deepEqual(await engine.refs('zeppelin', 'two'), ['a', 'b'])
  notes.put('c', 'A third zeppelin')
  assert.deepEqual(await engine.refs('zeppelin'), ['a', 'b', 'c'])
  // What was committed before that search is not known, so this one is as good as any other.
  const readsBefore = notes.logReads()
  assert.deepEqual(await engine.refs('zeppelin', 'three'), ['a', 'b', 'c'])
  assert.ok(notes.logReads() > readsBefore)
})

test('is as new as the newest of the searches that share a sync', async () => {
  const notes = createNotes()
  notes.put('a', 'The zeppelin')
  const engine = notes.open()
  await engine.refs('zeppelin', 'one')
  notes.put('b', 'Another zeppelin')
  const shared = [engine.refs('zeppelin', 'two')]
  notes.put('c', 'A third zeppelin')
  shared.push(engine.refs('zeppelin', 'three'))
  assert.deepEqual(await Promise.all(shared), [
    ['a', 'b', 'c'],
    ['a', 'b', 'c'],
  ])
  notes.put('d', 'A third zeppelin')
  assert.equal((await engine.refs('zeppelin', 'two')).length, 4)
})

test('reads the log again after it could not follow it', async () => {
  const notes = createNotes()
  notes.put('a', 'The zeppelin')
  const { log } = notes.ports
  const { state } = log
  // Another log at each look, as while a backup is put in its place.
  let looks = 0
  log.state = async (...args) => ({ ...(await state(...args))!, entryId: `other ${looks++}` })
  const engine = notes.open()
  await engine.refs('zeppelin', 'one')
  log.state = state
  notes.put('b', 'Another zeppelin')
  assert.deepEqual(await engine.refs('zeppelin', 'one'), ['a', 'b'])
})

test('finds a document that is written again while its text is read', async () => {
  const notes = createNotes()
  notes.put('a', 'The red zeppelin')
  notes.put('b', 'The red balloon')
  const engine = notes.open()
  const collection = notes.ports.collections.get('note')!
  const { readTexts } = collection
  let isFirst = true
  collection.readTexts = async (...args) => {
    const texts = await readTexts(...args)
    if (isFirst) {
      isFirst = false
      notes.put('a', 'The red zeppelin')
      await engine.refs('balloon')
    }
    return texts
  }
  assert.deepEqual(await engine.refs('"red zeppelin"'), ['a'])
})

test('hands hits over with their snippets and what is stored of them', async () => {
  const notes = createNotes()
  notes.put('airships', 'The zeppelin & its hangar')
  const [hit] = await notes.open().search('"zeppelin"')
  assert.deepEqual(
    { ...hit, score: 0 },
    { ref: 'airships', score: 0, snippet: 'The <mark>zeppelin</mark> &amp; its hangar', stored: 8 },
  )
})

test('comes back from a snapshot, unless it is damaged or of other collections', async () => {
  const notes = createNotes()
  notes.put('a', 'The zeppelin')
  const first = notes.open()
  await first.refs('zeppelin')
  await first.close()
  const snapshot = notes.snapshots.get(TENANT)!
  assert.equal(snapshot.sequence, 1)

  notes.put('b', 'A second zeppelin')
  assert.deepEqual(await notes.open().refs('zeppelin'), ['a', 'b'])
  assert.equal(notes.builds(), 1)

  const other = Buffer.from(Buffer.from(snapshot.bytes).toString('latin1').replace('["note"]', '["none"]'), 'latin1')
  notes.snapshots.set(TENANT, { sequence: 1, bytes: other })
  assert.deepEqual(await notes.open().refs('zeppelin'), ['a', 'b'])
  assert.equal(notes.builds(), 2)

  notes.snapshots.set(TENANT, { sequence: 1, bytes: new Uint8Array(64) })
  const last = notes.open()
  assert.deepEqual(await last.refs('zeppelin'), ['a', 'b'])
  assert.equal(notes.builds(), 3)
  assert.match(last.problems[0] ?? '', /could not be read/)
})

test('saves a snapshot of a few long texts, but none of a few short ones', async () => {
  const distinctWords = Array.from({ length: 40_000 }, (_, at) => `w${at.toString(36)}`).join(' ')
  for (const [body, saved] of [
    [distinctWords, 1],
    ['The zeppelin', 0],
  ] as const) {
    const notes = createNotes()
    for (const ref of ['a', 'b']) notes.put(ref, body)
    const engine = notes.open(1_000)
    await engine.refs('zeppelin')
    await engine.close()
    assert.equal(notes.snapshots.size, saved)
  }
})

test('writes one snapshot of a tenant after the other', async () => {
  const notes = createNotes()
  let [writing, most] = [0, 0]
  const { write } = notes.ports.snapshots
  notes.ports.snapshots.write = async (...args) => {
    most = Math.max(most, ++writing)
    await new Promise((resolve) => setTimeout(resolve, 20))
    await write(...args)
    writing--
  }
  const engine = notes.open()
  for (let at = 0; at < 20; at++) {
    notes.put(`note-${at}`, 'The zeppelin')
    assert.equal((await engine.search('zeppelin')).length, Math.min(at + 1, 10))
  }
  await engine.close()
  assert.equal(most, 1)
  assert.equal(notes.snapshots.get(TENANT)?.sequence, 20)
})

test('answers from what is indexed while an index is built, and from all of it later', async () => {
  const notes = createNotes()
  for (let at = 100; at < 300; at++) notes.put(`n${at}`, 'The zeppelin')
  const collection = notes.ports.collections.get('note')!
  const { readPageForIndex } = collection
  const held: (() => void)[] = []
  collection.readPageForIndex = async (tenantId, after, count) => {
    if (after) await new Promise<void>((resolve) => held.push(resolve))
    return readPageForIndex(tenantId, after, count)
  }
  const engine = notes.open(1, 5)
  assert.equal(await engine.isComplete(), false)
  assert.ok((await engine.refs('zeppelin')).includes('n100'))
  assert.deepEqual(await engine.refs('n299'), [])
  collection.readPageForIndex = readPageForIndex
  for (const resume of held) resume()
  while (!(await engine.isComplete()));
  assert.deepEqual((await engine.refs('n299'))[0], 'n299')
  assert.equal(notes.builds(), 1)
})

test('answers from what is indexed while changes take long to apply', async () => {
  const notes = createNotes()
  notes.put('first', 'The zeppelin')
  const engine = notes.open(1, 5)
  while (!(await engine.isComplete()));
  for (let at = 0; at < 20; at++) notes.put(`n${at}`, 'A balloon')
  const collection = notes.ports.collections.get('note')!
  const { readForIndex } = collection
  const held: (() => void)[] = []
  collection.readForIndex = async (tenantId, names) => {
    await new Promise<void>((resolve) => held.push(resolve))
    return readForIndex(tenantId, names)
  }
  assert.equal(await engine.isComplete(), false)
  assert.deepEqual(await engine.refs('zeppelin'), ['first'])
  collection.readForIndex = readForIndex
  for (const resume of held) resume()
  while (!(await engine.isComplete()));
  assert.equal((await engine.refs('balloon')).length, 10)
})

test('an index that could not be built is built by the next search', async () => {
  const notes = createNotes()
  notes.put('a', 'The zeppelin')
  const collection = notes.ports.collections.get('note')!
  const { readPageForIndex } = collection
  collection.readPageForIndex = async () => {
    throw new Error('no store')
  }
  const engine = notes.open()
  await assert.rejects(engine.refs('zeppelin'), /no store/)
  collection.readPageForIndex = readPageForIndex
  assert.deepEqual(await engine.refs('zeppelin'), ['a'])
})

test('marks what was matched in place of the words of a query', async () => {
  const notes = createNotes()
  notes.put('a', 'The pods of Kubernetes restart.')
  notes.put('b', 'Die Datenschutzverordnung gilt.')
  const engine = notes.open()
  const markedBy = async (text: string) => (await engine.search(text))[0]?.snippet.match(/<mark>(.*?)<\/mark>/)?.[1]
  assert.equal(await markedBy('k8s'), 'Kubernetes')
  assert.equal(await markedBy('kubernetis'), 'Kubernetes')
  assert.equal(await markedBy('Verordnung'), 'Datenschutzverordnung')
})

test('keeps serving what fits when an index is full, and adds the rest once there is room', async () => {
  const notes = createNotes()
  for (let at = 0; at < 1_600; at++) notes.put(`old-${at}`, 'The zeppelin', 'old')
  const engine = notes.open(1, 60_000, 1_600)
  assert.equal((await engine.refs('zeppelin')).length, 10)
  notes.put('late', 'A balloon')
  assert.deepEqual(await engine.refs('balloon'), [])
  assert.equal((await engine.refs('zeppelin')).length, 10)
  assert.deepEqual(engine.problems, ['a search index is full; documents that did not fit cannot be found'])
  notes.removeScope('old')
  assert.deepEqual(await engine.refs('balloon'), ['late'])
  assert.equal(engine.problems.length, 1)
})
