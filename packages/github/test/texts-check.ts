import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { TestContext } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { createTask } from 'worklore-testing/factories'
import { startService } from 'worklore-testing/harness'
import { randomFrom } from 'worklore-testing/random'
import { bridgedFor } from './bridged.js'
import { checkEqual } from './model.js'

/**
 * Bridges issues whose texts are the Markdown files of a folder, with their sections as comments; edits both sides,
 * kills the bridge again and again, and compares everything: `texts-check.js FOLDER [kills]`.
 */
const [folder, kills = '20'] = process.argv.slice(2)
if (!folder) throw new Error('Usage: texts-check.js FOLDER [kills]')

const maxComments = 6
const random = randomFrom(41)
const below = (count: number): number => Math.floor(random() * count)
const service = await startService(engines[0]!)
const ends: (() => unknown)[] = []
const test = { after: (end: () => unknown) => ends.push(end) } as unknown as TestContext
const bridged = await bridgedFor(test, service, 'REAL')
const { stub, wl, project, run, sent } = bridged

const texts = (readdirSync(folder, { recursive: true }) as string[])
  .filter((name) => name.endsWith('.md'))
  .sort()
  .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }))
  // GitHub takes no larger ones.
  .filter(({ text }) => text.length <= 65_000)
const startMs = Math.floor(Date.now() / 1_000) * 1_000 - texts.length * 10_000
let comments = 0
for (const [at, { name, text }] of texts.entries()) {
  const times = { createdAtMs: startMs + at * 10_000, updatedAtMs: startMs + at * 10_000 }
  const title = (/^#\s+(.+)$/m.exec(text)?.[1] ?? basename(name)).trim().slice(0, 256)
  // Every tenth is a task with its comments.
  const sections = text.split(/^(?=## )/m).slice(1, 1 + maxComments)
  if (at % 10 === 0) {
    const task = await createTask(service, project.id, { title, description: text })
    for (const body of sections) await wl.tasks.comments(task.id).create({ body })
  } else {
    const { number } = stub.create({ title, body: text, ...times })
    for (const [index, body] of sections.entries())
      stub.comment(number, body, 'octocat', times.createdAtMs + index * 1_000)
  }
  comments += sections.length
}
const bytes = texts.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
console.log(`${texts.length} texts of ${bytes} bytes with ${comments} comments`)

const timed = async (name: string): Promise<void> => {
  const startedAtMs = performance.now()
  await run()
  const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(1)
  console.log(`${name}: ${seconds} s, ${JSON.stringify(sent)}`)
}

let killed = 0
for (let at = 0; at < Number(kills); at++) {
  const killAt = 1 + below(at < 5 ? 100 : 400)
  await run({ killAt, isAnswerLost: below(2) === 0 })
  if (sent.github + sent.worklore >= killAt - 1) killed++
  const { data } = await wl.tasks.list({ projectId: project.id, limit: 100, sort: '-updatedAt' })
  for (let edits = 5; edits > 0; edits--) {
    const theirs = [...stub.issues.values()].filter(({ author }) => author !== stub.bot)
    const issue = theirs[below(theirs.length)]!
    const text = texts[below(texts.length)]!.text
    stub.edit(issue.number, { body: `${text}\n\nEdited ${at}` })
    stub.comment(issue.number, text.slice(0, 5_000) || 'Empty')
    const task = data[below(data.length)]
    if (task) await wl.tasks.comments(task.id).create({ body: text.slice(-5_000) || 'Empty' })
    if (task) await wl.tasks.update(task.id, { title: `Renamed ${at} ${edits}` })
  }
}
console.log(`${killed} runs killed`)
await timed('the run after that')
await run({ isFull: true })
await checkEqual(bridged)
await timed('nothing new')
assert.deepEqual([sent.writes, sent.positions], [0, 0])
console.log(
  `${stub.issues.size} issues and ${stub.comments.size} comments on GitHub: the same in the service, nothing twice`,
)
for (const end of ends) await end()
await service.stop()
