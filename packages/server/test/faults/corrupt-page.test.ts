import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { expectError } from 'worklore-testing/expect'
import { createTask, putItem } from 'worklore-testing/factories'
import { type Answer, startService } from 'worklore-testing/harness'
import { sqlitePath } from '../../src/db/open.js'

const pageBytes = 4_096

/** Overwrites every page of a database file that contains a text. Returns the number of these pages. */
const corruptPagesWith = (path: string, text: string): number => {
  const bytes = readFileSync(path)
  let corrupted = 0
  for (let at = pageBytes; at < bytes.length; at += pageBytes) {
    const page = bytes.subarray(at, at + pageBytes)
    if (!page.includes(text)) continue
    page.fill(0xa5)
    corrupted++
  }
  writeFileSync(path, bytes)
  return corrupted
}

it('a corrupt page fails the requests that need it and the readiness check with 503, and the service keeps running', async () => {
  const store = await engines[0]!.createPreparedStore()
  const before = await startService(engines[0]!, { store })
  await before.post('/v1/projects', { key: 'ACME', name: 'Acme' })
  const ids: string[] = []
  for (let at = 0; at < 40; at++) {
    const text = `damaged page ${at} `.repeat(30)
    ids.push((await createTask(before, 'ACME', { description: text })).id)
    await putItem(before, `note/${at}`, text)
  }
  await before.stop()
  assert.ok(corruptPagesWith(sqlitePath(store), 'damaged page') > 10)

  const wl = await startService(engines[0]!, { store })
  try {
    assert.equal((await wl.get('/readyz', { key: null })).status, 200)
    const refused = new Map<string, number>()
    const send = async (name: string, request: Promise<Answer>): Promise<void> => {
      const answer = await request
      if (answer.status < 400) return
      assert.match(expectError(answer, 'SERVICE_UNAVAILABLE').message, /database file is damaged/)
      refused.set(name, (refused.get(name) ?? 0) + 1)
    }
    for (const [at, id] of ids.entries()) {
      await Promise.all([
        send('read', wl.get(`/v1/tasks/${id}`)),
        send('list', wl.get('/v1/tasks?limit=100')),
        send('change', wl.patch(`/v1/tasks/${id}`, { title: 'Other' })),
        send('read', wl.get(`/v1/knowledge/note/${at}`)),
        send('put', wl.put(`/v1/knowledge/note/${at}`, { content: 'Other' })),
      ])
    }
    assert.deepEqual([...refused.keys()].sort(), ['change', 'list', 'put', 'read'])
    assert.match(
      expectError(await wl.get('/readyz', { key: null }), 'SERVICE_UNAVAILABLE').message,
      /database file is damaged/,
    )
    assert.equal((await wl.get('/healthz', { key: null })).status, 200)
    assert.equal((await wl.get('/v1/me')).status, 200)
  } finally {
    await wl.stop()
    await store.remove()
  }
})
