import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { createNotes, TENANT } from './notes-fixture.js'
import type { Found } from './protocol.js'
import { serveSearch } from './serve-search.js'

const serve = (notes: ReturnType<typeof createNotes>): MessagePort => {
  const { port1, port2 } = new MessageChannel()
  serveSearch({
    port: port2,
    ports: notes.ports,
    memoryBytes: 1_000_000,
    minSnapshotDocuments: 1_000,
    describeError: String,
    onClose: async () => {},
  })
  return port1
}

const searchFor = (text: string) => ({
  kind: 'search',
  tenantId: TENANT,
  commits: 'one',
  awaitsVector: false,
  search: { collection: 'note', text, filter: {}, top: 10, from: 0, to: 10, isRendered: true },
})

const answerTo = async (port: MessagePort, wanted: number): Promise<Found<string>> => {
  for (;;) {
    const [{ id, value }] = (await once(port, 'message')) as [{ id: number; value?: Found<string> }]
    if (id === wanted && value) return value
  }
}

const refsOf = ({ hits }: Found<string>): string[] => hits.map((hit) => JSON.parse(hit).ref)

test('finds a document that gets another ref while its text is read', async () => {
  const notes = createNotes()
  notes.put('before', 'The zeppelin')
  const collection = notes.ports.collections.get('note')!
  const { readTexts } = collection
  let moves = 0
  collection.readTexts = (...args) => {
    if (moves++ === 0) {
      notes.remove('before')
      notes.put('after', 'The zeppelin')
    }
    return readTexts(...args)
  }
  const port = serve(notes)
  port.postMessage({ id: 1, ...searchFor('zeppelin') })
  assert.deepEqual(refsOf(await answerTo(port, 1)), ['after'])
  port.close()
})

test('serves others while it reads long texts, and ends where nobody waits', async () => {
  const notes = createNotes()
  for (let at = 0; at < 120; at++) notes.put(`long-${at}`, 'ab ba '.repeat(25_000))
  notes.put('short', 'The zeppelin')
  const collection = notes.ports.collections.get('note')!
  const { readTexts } = collection
  let reads = 0
  collection.readTexts = (...args) => {
    reads++
    return readTexts(...args)
  }
  const port = serve(notes)
  const isComplete = async () => {
    port.postMessage({ id: 1, ...searchFor('zeppelin') })
    return (await answerTo(port, 1)).isComplete
  }
  while (!(await isComplete()));
  reads = 0
  const answered: number[] = []
  port.on('message', ({ id, phase }) => {
    if (phase === undefined) answered.push(id)
  })
  port.postMessage({ id: 2, ...searchFor('"ba ba"') })
  port.postMessage({ id: 3, ...searchFor('zeppelin') })
  port.postMessage({ id: 2, kind: 'cancel' })
  assert.deepEqual(refsOf(await answerTo(port, 3)), ['short'])
  port.postMessage({ id: 4, ...searchFor('zeppelin') })
  await answerTo(port, 4)
  // One of each that was answered, and the first of three of the one that nobody waited for.
  assert.equal(reads, 3)
  assert.deepEqual(answered.toSorted(), [2, 3, 4])
  port.close()
})
