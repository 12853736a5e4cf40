import assert from 'node:assert/strict'
import { send, testAdminKey } from 'worklore-testing/harness'
import { noteKey } from './content.js'
import type { Entry, Ledger } from './ledger.js'

const sampleSize = 12
const settleMs = 300_000

/** Undefined where the index is still being built, as it is for a while after a crash. */
const hitsOf = async (
  baseUrl: string,
  { kind, token }: Entry,
): Promise<{ name: string; text: string }[] | undefined> => {
  const path = kind === 'task' ? '/v1/tasks/search' : '/v1/knowledge/search'
  const { body, status, text } = await send(baseUrl, 'GET', `${path}?q=${token}`, { key: testAdminKey })
  if (status === 503) return undefined
  assert.equal(status, 200, text)
  return kind === 'task'
    ? body.data.map(({ id, title }: { id: string; title: string }) => ({ name: id, text: title }))
    : body.data.map(({ key, content }: { key: string; content: string }) => ({ name: key, text: content }))
}

const agrees = async (baseUrl: string, entry: Entry): Promise<boolean> => {
  const hits = await hitsOf(baseUrl, entry)
  if (!hits) return false
  const own = hits.find(({ name }) => name === (entry.kind === 'task' ? entry.id : noteKey(entry.token)))
  if (entry.acknowledged === null) return own === undefined
  return own?.text.includes(`${entry.token} revision ${entry.acknowledged}`) ?? false
}

/** Looks for a sample of records by their own word: those that are there, at their last state, and those that are gone. */
export const auditSearch = async (baseUrl: string, ledger: Ledger): Promise<void> => {
  const settled = [...ledger.entries.values()].filter(({ kind, id }) => kind === 'note' || id !== undefined)
  const recent = settled.slice(-400)
  const sample = Array.from({ length: Math.min(sampleSize, recent.length) }, () => {
    return recent[Math.floor(Math.random() * recent.length)]!
  })
  const endMs = performance.now() + settleMs
  for (const entry of sample) {
    // The index follows the log, a moment behind it.
    while (!(await agrees(baseUrl, entry))) {
      const isLate = performance.now() > endMs
      if (isLate) assert.fail(`search says ${JSON.stringify(await hitsOf(baseUrl, entry))} of ${JSON.stringify(entry)}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}
