import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { createLocalEmbedder } from './local-embedder.js'
import { reference } from './reference-fixture.js'
import { cosine } from './vectors.js'

const decode = (base64: string) => Int8Array.from(new Int8Array(Buffer.from(base64, 'base64')))

// Empty texts are never embedded.
const embedded = reference.filter(({ text }) => text !== '')

test('vectors agree with the reference on every processor', async () => {
  const embedder = createLocalEmbedder()
  const vectors = await embedder.embed(embedded.map(({ text }) => text))
  for (const [i, { text, vector }] of embedded.entries()) {
    const agreement = cosine(vectors[i]!, decode(vector))
    assert.ok(agreement > 0.995, `${agreement} for ${text}`)
    assert.ok(Math.abs(Math.hypot(...vectors[i]!) - 1) < 1e-4)
  }
  await embedder.close()
})

test('a text has the same vector whatever it is embedded with', async () => {
  const embedder = createLocalEmbedder()
  const [alone] = await embedder.embed(['restore a backup'])
  const [, among] = await embedder.embed(['x '.repeat(300), 'restore a backup', 'other'])
  assert.deepEqual(among, alone)
  await embedder.close()
})

test('a query overtakes the texts that wait', async () => {
  const embedder = createLocalEmbedder()
  const order: string[] = []
  const texts = Array.from({ length: 20 }, (_, i) => embedder.embed([`text ${i}`]).then(() => order.push('text')))
  const query = embedder.embed(['query'], 'query').then(() => order.push('query'))
  await Promise.all([...texts, query])
  assert.ok(order.indexOf('query') <= 1)
  await embedder.close()
})

test('an idle process ends and comes back', async () => {
  const embedder = createLocalEmbedder({ idleMs: 1 })
  const [first] = await embedder.embed(['hello'])
  await new Promise((resolve) => setTimeout(resolve, 50))
  assert.deepEqual((await embedder.embed(['hello']))[0], first)
  await embedder.close()
})

test('closing rejects what waits', async () => {
  const embedder = createLocalEmbedder()
  const waiting = embedder.embed(['a', 'b'])
  await Promise.all([assert.rejects(waiting, /closed/), embedder.close()])
  await assert.rejects(embedder.embed(['c']), /closed/)
})

/** Returns the process IDs of the embedding processes that this process started. */
const embeddingProcesses = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const isChild = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')[1] === String(process.pid)
        return isChild && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('embed-process') ? [Number(pid)] : []
      } catch {
        return []
      }
    })

test('a process that hangs is replaced, and only its text is given up', {
  skip: process.platform !== 'linux' && 'finds the process in /proc',
}, async () => {
  const others = embeddingProcesses()
  const embedder = createLocalEmbedder({ maxAnswerMs: 20_000 })
  await embedder.embed(['before'])
  const [hung] = embeddingProcesses().filter((pid) => !others.includes(pid))
  process.kill(hung!, 'SIGSTOP')
  const given = embedder.embed(['hangs'])
  const later = embedder.embed(['later'])
  await assert.rejects(given, /did not embed a text within/)
  assert.equal((await later)[0]!.length, embedder.dimensions)
  await embedder.close()
})
