import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { MessageChannel } from 'node:worker_threads'
import { createNotes, TENANT } from './notes-fixture.js'
import type { Found } from './protocol.js'
import { serveSearch } from './serve-search.js'

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
  const { port1, port2 } = new MessageChannel()
  serveSearch({
    port: port2,
    ports: notes.ports,
    memoryBytes: 1_000_000,
    minSnapshotDocuments: 1_000,
    describeError: String,
    onClose: async () => {},
  })
  const search = { collection: 'note', text: 'zeppelin', filter: {}, top: 10, from: 0, to: 10, isShown: true }
  port1.postMessage({ id: 1, kind: 'search', tenantId: TENANT, commits: 'one', awaitsVector: false, search })
  let found: Found<string> | undefined
  while (!found) [{ value: found }] = (await once(port1, 'message')) as [{ value?: Found<string> }]
  assert.deepEqual(
    found.hits.map((hit) => JSON.parse(hit).ref),
    ['after'],
  )
  port1.close()
})
