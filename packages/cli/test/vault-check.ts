import assert from 'node:assert/strict'
import { once } from 'node:events'
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worklore } from 'worklore-client'
import { engines } from 'worklore-testing/engines'
import { startService } from 'worklore-testing/harness'
import { randomFrom } from 'worklore-testing/random'
import { createUser } from './wl.js'

/**
 * Syncs copies of a folder of Markdown with a service, edits both sides, kills `wl sync` again and again, and compares
 * every byte: `vault-check.js FOLDER [kills]`.
 */
const [source, kills = '20'] = process.argv.slice(2)
if (!source) throw new Error('Usage: vault-check.js FOLDER [kills]')

const service = await startService(engines[0]!)
const user = createUser(service.baseUrl, service.adminKey)
const wl = new Worklore({ baseUrl: service.baseUrl, apiKey: service.adminKey })
const random = randomFrom(41)
const one = join(user.folder, 'one')
const two = join(user.folder, 'two')
mkdirSync(two)
cpSync(resolve(source), one, { recursive: true })

const filesOf = (folder: string): Map<string, string> =>
  new Map(
    (readdirSync(folder, { recursive: true }) as string[])
      .filter((name) => name.endsWith('.md') && statSync(join(folder, name)).isFile())
      .sort()
      .map((name) => [name, readFileSync(join(folder, name)).toString('latin1')]),
  )

const timed = async (name: string, folder: string): Promise<Record<string, number>> => {
  const startedAtMs = performance.now()
  const { code, stdout, stderr } = await user.run(['sync', folder, '--tenant', '--json'])
  const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(1)
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const { summary } = lines.find((line) => line.summary) ?? {}
  const skipped = lines.filter(({ action }) => action === 'skipped')
  for (const { path, about } of skipped.slice(0, 10)) console.log(`  skipped ${path}: ${about}`)
  assert.ok(code === 0 || (code === 1 && skipped.length > 0), `${code}: ${stderr}`)
  console.log(`${name}: ${seconds} s, ${JSON.stringify(summary)}`)
  return summary
}

const skippedAtFirst = (await timed('first sync', 'one')).skipped ?? 0
const first = filesOf(one)
const { size } = first
const bytes = [...first.values()].reduce((sum, text) => sum + text.length, 0)
const withMatter = [...first.values()].filter((text) => /^(\xef\xbb\xbf)?---\r?\n/.test(text)).length
console.log(`${size} files, ${bytes} bytes, ${withMatter} with front matter, ${skippedAtFirst} not synced`)
await timed('into an empty folder', 'two')
const synced = filesOf(two)
for (const [path, text] of synced) assert.equal(text, first.get(path), path)
assert.equal(synced.size, size - skippedAtFirst)

/** What both sides must have in the end. Each path is changed once, on one side. */
const expected = new Map(synced)
const waiting = [...synced.keys()].sort(() => random() - 0.5)
const keyOf = (path: string): string => path.replace(/\.md$/, '')
const utf8 = (text: string): string => Buffer.from(text, 'latin1').toString('utf8')
const latin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')
const edit = (text: string): string => `${text}\nAn edit, ünïcode.\n`
const inFolder = (folder: string) => ({
  edit: (path: string): void => {
    const text = latin1(edit(utf8(expected.get(path)!)))
    writeFileSync(join(folder, path), text, 'latin1')
    expected.set(path, text)
  },
  rename: (path: string): void => {
    const to = `renamed/${folder.slice(-3)}/${path}`
    mkdirSync(dirname(join(folder, to)), { recursive: true })
    renameSync(join(folder, path), join(folder, to))
    expected.set(to, expected.get(path)!)
    expected.delete(path)
  },
  swap: (path: string): void => {
    const other = waiting.pop()!
    const [text, otherText] = [expected.get(path)!, expected.get(other)!]
    renameSync(join(folder, path), join(folder, 'aside'))
    renameSync(join(folder, other), join(folder, path))
    renameSync(join(folder, 'aside'), join(folder, other))
    expected.set(path, otherText).set(other, text)
  },
  remove: (path: string): void => {
    rmSync(join(folder, path))
    expected.delete(path)
  },
  add: (path: string): void => {
    const to = `added/${path}`
    mkdirSync(dirname(join(folder, to)), { recursive: true })
    writeFileSync(join(folder, to), `New beside ${path}`)
    expected.set(to, `New beside ${path}`)
  },
})
const there = {
  edit: async (path: string): Promise<void> => {
    const content = edit(utf8(expected.get(path)!))
    await wl.knowledge.put(keyOf(path), { content, projectId: null })
    expected.set(path, latin1(content))
  },
  move: async (path: string): Promise<void> => {
    await wl.knowledge.move({ from: keyOf(path), to: `moved/${keyOf(path)}` })
    expected.set(`moved/${path}`, expected.get(path)!)
    expected.delete(path)
  },
  remove: async (path: string): Promise<void> => {
    await wl.knowledge.delete(keyOf(path))
    expected.delete(path)
  },
}

const changes = [...Object.values(inFolder(one)), ...Object.values(inFolder(two)), ...Object.values(there)]
let edits = 0
let killed = 0
for (let at = 0; at < Number(kills); at++) {
  for (const change of changes) {
    for (let some = Math.ceil(size / 1_000); some > 0 && waiting.length > 1; some--) {
      await change(waiting.pop()!)
      edits++
    }
  }
  for (const folder of ['one', 'two']) {
    const { child, ended } = user.start(['sync', folder, '--tenant'])
    await Promise.race([sleep(150 + random() * 1_500), once(child, 'exit')])
    if (child.kill('SIGKILL')) killed++
    await ended
  }
}
console.log(`${edits} edits on three sides, ${killed} runs killed`)
for (const folder of ['one', 'two', 'one']) await timed(`sync of ${folder}`, folder)
const quiet = await timed('nothing new', 'two')
assert.equal(
  Object.entries(quiet).filter(([name, count]) => /ed$/.test(name) && count > 0 && name !== 'skipped').length,
  0,
)

const notes = new Map<string, string>()
for await (const { key, content } of wl.knowledge.list({ scope: 'tenant', limit: 500 }))
  notes.set(`${key}.md`, latin1(content))
for (const [name, found] of [
  ['two', filesOf(two)],
  ['the service', notes],
] as const) {
  const wrong = [...new Set([...found.keys(), ...expected.keys()])].filter(
    (path) => found.get(path) !== expected.get(path),
  )
  assert.deepEqual(wrong, [], name)
}
const last = filesOf(one)
const wrong = [...expected.keys()].filter((path) => last.get(path) !== expected.get(path))
assert.deepEqual(wrong, [], 'one')
assert.equal(last.size, expected.size + skippedAtFirst)
console.log(`${expected.size} notes: both folders and the service have the same bytes, nothing lost, nothing twice`)
user.remove()
await service.stop()
