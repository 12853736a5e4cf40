import assert from 'node:assert/strict'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { it } from 'node:test'
import { ApiError, type KnowledgeItem, Worklore } from 'worklore-client'
import type { TestTenant } from 'worklore-testing/harness'
import { inLongRun } from 'worklore-testing/long-run'
import { addTenant } from 'worklore-testing/operator'
import { randomFrom } from 'worklore-testing/random'
import { describeClient } from 'worklore-testing/service-suite'
import { fieldsOfItem, fieldsOfText, sameFields } from '../src/sync/note-fields.js'
import { isConflictFile } from '../src/sync/paths.js'
import type { Report } from '../src/sync/report.js'
import { createSession } from '../src/sync/session.js'
import { prepareStateFolder, readState, type SyncTarget } from '../src/sync/state.js'

class Killed extends Error {}

const quiet = { update: () => {}, note: () => {}, end: () => {} }

/** A few names, so that what happens meets. */
const names = ['a', 'b', 'B', 'c', 'folder/a', 'folder/b', 'folder/deep/d', 'Ü']

const maxPasses = 20

/** Two folders that are synced with one tenant, and users who change all three at random. */
const createModel = async (service: TestTenant, seed: number) => {
  const random = randomFrom(seed)
  const below = (count: number): number => Math.floor(random() * count)
  const oneOf = <T>(list: readonly T[]): T => list[below(list.length)]!
  const apiKey = await addTenant(service)
  const { baseUrl } = service
  const wl = new Worklore({ baseUrl, apiKey })
  const target: SyncTarget = { tenantId: 'same', projectId: null, prefix: '' }
  const home = mkdtempSync(join(tmpdir(), 'wl-sync-'))
  const roots = ['one', 'two'].map((name) => join(home, name))
  for (const root of roots) mkdirSync(root)
  const log: string[] = []
  /** Texts that somebody wrote and nobody replaced knowing them. */
  const written = new Set<string>()
  /** Notes whose files are gone and whose texts are in files that are not synced, by folder. */
  const keptNotes = new Map<string, Set<string>>()
  let texts = 0
  let isStateLost = false

  const newText = (): string => {
    const mark = `text ${++texts} of ${seed}`
    const lineEnd = oneOf(['\n', '\r\n'])
    const matter = ['---', `title: Title ${texts}`, 'other: kept', `tags: [t${texts}]`, '---', ''].join(lineEnd)
    const text = `${oneOf(['', '', '\ufeff'])}${oneOf(['', matter])}${mark}${oneOf(['', lineEnd, lineEnd + lineEnd])}`
    written.add(mark)
    return text
  }
  const markIn = (text: string): string => /text \d+ of -?\d+/.exec(text)![0]

  const filesOf = (root: string, withConflicts = false): Map<string, string> =>
    new Map(
      (readdirSync(root, { recursive: true, withFileTypes: true }) as import('node:fs').Dirent[])
        .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
        .map((entry) => join(entry.parentPath, entry.name))
        .filter((file) => withConflicts || !isConflictFile(file))
        .sort()
        .map((file) => [file.slice(root.length + 1), readFileSync(file, 'utf8')]),
    )

  const change = {
    write: (root: string): void => {
      const file = join(root, `${oneOf(names)}.md`)
      log.push(`text ${texts + 1} to ${file}`)
      if (existsSync(file)) written.delete(markIn(readFileSync(file, 'utf8')))
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, newText())
    },
    edit: (root: string): void => {
      const [path, text] = oneOf([...filesOf(root)]) ?? []
      if (path === undefined) return
      log.push(`text ${texts + 1} to ${root}/${path}`)
      written.delete(markIn(text!))
      const mark = `text ${++texts} of ${seed}`
      written.add(mark)
      writeFileSync(join(root, path), text!.replace(markIn(text!), mark))
    },
    rename: (root: string): void => {
      const [path] = oneOf([...filesOf(root)]) ?? []
      const to = `${oneOf(names)}.md`
      if (path === undefined || existsSync(join(root, to))) return
      log.push(`${root}/${path} to ${to}`)
      mkdirSync(dirname(join(root, to)), { recursive: true })
      renameSync(join(root, path), join(root, to))
    },
    swap: (root: string): void => {
      const [[one] = [], [other] = []] = [oneOf([...filesOf(root)]), oneOf([...filesOf(root)])]
      if (one === undefined || other === undefined || one === other) return
      log.push(`${root}/${one} for ${other}`)
      renameSync(join(root, one), join(root, 'aside'))
      renameSync(join(root, other), join(root, one))
      renameSync(join(root, 'aside'), join(root, other))
    },
    remove: (root: string): void => {
      const [path, text] = oneOf([...filesOf(root)]) ?? []
      if (path === undefined) return
      log.push(`removed ${root}/${path}`)
      written.delete(markIn(text!))
      rmSync(join(root, path))
    },
  }

  const ignoreRefusal = (error: unknown): void => {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
  }
  const changeThere = {
    put: async (): Promise<void> => {
      const key = oneOf(names)
      log.push(`text ${texts + 1} to ${key}`)
      await wl.knowledge.put(key, { content: newText(), projectId: null })
    },
    edit: async (): Promise<void> => {
      const { data } = await wl.knowledge.list({ limit: 100 })
      const item = oneOf(data)
      if (!item) return
      const mark = `text ${++texts} of ${seed}`
      log.push(`text ${texts} to ${item.key}`)
      written.add(mark)
      await wl.knowledge.put(item.key, { content: item.content.replace(markIn(item.content), mark), projectId: null })
    },
    setFields: (): Promise<unknown> =>
      wl.knowledge
        .patch(oneOf(names), oneOf([{ title: `Set ${++texts}` }, { tags: [`s${++texts}`, 'b c'] }, { title: null }]))
        .catch(ignoreRefusal),
    move: (): Promise<unknown> => wl.knowledge.move({ from: oneOf(names), to: oneOf(names) }).catch(ignoreRefusal),
    remove: (): Promise<unknown> => wl.knowledge.delete(oneOf(names)).catch(ignoreRefusal),
  }

  /** Syncs a folder; may be killed before or after a request, or between two steps in the folder. */
  const sync = async (root: string, killAfter = Number.POSITIVE_INFINITY): Promise<boolean> => {
    let steps = 0
    const step = (): void => {
      if (++steps > killAfter) throw new Killed()
    }
    const client = new Worklore({
      baseUrl,
      apiKey,
      maxRetries: 0,
      fetch: async (...request) => {
        step()
        const answer = await fetch(...request)
        const body = await answer.text()
        step()
        return new Response(answer.status === 304 ? null : body, answer)
      },
    })
    prepareStateFolder(root)
    const state = readState(root) ?? {
      ...{ target, position: null, listedAtMs: 0, notes: new Map(), unsynced: new Map() },
    }
    let isNew = false
    const kept = new Set<string>()
    keptNotes.set(root, kept)
    const report = ({ action, path, side, about }: Report): void => {
      if (action === 'kept' && !side) kept.add(path)
      log.push(`  ${action} ${path} (${about ?? side})`)
      isNew ||= side !== undefined
      step()
    }
    const session = createSession({ wl: client, root, state, isDry: false, isConfirmed: true, progress: quiet, report })
    try {
      const { isRepeated } = await session.run()
      return isRepeated || isNew
    } catch (error) {
      // The client wraps what its fetch throws.
      if (steps <= killAfter) throw error
      log.push('killed')
      return true
    }
  }

  const act = async (): Promise<void> => {
    const kind = random()
    if (kind < 0.4) {
      const what = oneOf(Object.keys(change) as (keyof typeof change)[])
      const root = oneOf(roots)
      log.push(`${what} in ${root}`)
      change[what](root)
    } else if (kind < 0.75) {
      const what = oneOf(Object.keys(changeThere) as (keyof typeof changeThere)[])
      log.push(`${what} there`)
      await changeThere[what]()
    } else if (kind < 0.77) {
      isStateLost = true
      const root = oneOf(roots)
      log.push(`lost state of ${root}`)
      rmSync(join(root, '.worklore'), { recursive: true, force: true })
    } else {
      const root = oneOf(roots)
      const killAfter = random() < 0.5 ? below(12) : Number.POSITIVE_INFINITY
      log.push(`sync ${root} ${killAfter}`)
      await sync(root, killAfter)
    }
  }

  const settle = async (): Promise<void> => {
    for (let passes = 0; ; passes++) {
      const news = [await sync(roots[0]!), await sync(roots[1]!)]
      if (!news.includes(true)) return
      assert.ok(passes < maxPasses, `does not come to rest: ${log.join('\n')}`)
    }
  }

  const check = async (): Promise<void> => {
    const context = `seed ${seed}: ${log.join('\n')}`
    const all = roots.map((root) => filesOf(root))
    const items = new Map<string, KnowledgeItem>()
    for await (const item of wl.knowledge.list({ limit: 500 })) items.set(`${item.key}.md`, item)
    /** Of b and B, one is not synced. */
    const hasTwin = (path: string): boolean =>
      [...all.flatMap((files) => [...files.keys()]), ...items.keys()].some(
        (other) => other !== path && other.toLowerCase() === path.toLowerCase(),
      )
    for (const path of new Set([...all.flatMap((files) => [...files.keys()]), ...items.keys()])) {
      if (hasTwin(path)) continue
      const item = items.get(path)
      const isKept = roots.map((root) => keptNotes.get(root)!.has(path))
      for (const [at, root] of roots.entries()) {
        if (!isKept[at]) continue
        const marks = [...filesOf(root, true).values()].map(markIn)
        assert.ok(item && marks.includes(markIn(item.content)), `${context}: the text of ${path} is not in ${root}`)
      }
      const found = all.filter((_, at) => !isKept[at]).map((files) => files.get(path))
      if (found.length === 0) continue
      const [one, two] = [found[0], found.at(-1)]
      assert.ok(item && one !== undefined && two !== undefined, `${context}: ${path} is not on all sides`)
      assert.equal(one, two, `${context}: ${path}`)
      assert.equal(markIn(one), markIn(item.content), `${context}: ${path}`)
      const isSaid = sameFields(fieldsOfItem(item, ''), fieldsOfText(item.content))
      if (isSaid) assert.equal(one, item.content, `${context}: ${path}`)
      else assert.deepEqual(fieldsOfText(one), { ...fieldsOfText(item.content), ...fieldsOfItem(item, '') }, context)
    }
    const kept = new Set<string>()
    for (const root of roots) for (const text of filesOf(root, true).values()) kept.add(markIn(text))
    for await (const event of wl.events.list({ after: 0, types: ['knowledge.*'], limit: 500 })) {
      const { content } = event.data as { content?: string }
      if (content !== undefined) kept.add(markIn(content))
    }
    const lost = [...written].filter((mark) => !kept.has(mark))
    assert.deepEqual(lost, [], `${context}: lost`)
    const marks = [...items.values()].map(({ content }) => markIn(content))
    if (!isStateLost) assert.equal(new Set(marks).size, marks.length, `${context}: twice: ${marks}`)
  }

  return { act, settle, check, remove: () => rmSync(home, { recursive: true }) }
}

describeClient('wl sync, in a model', (service) => {
  /** `SEED` is the first of `SEEDS` seeds; `STEPS` says how much happens from each. */
  const { SEED, SEEDS, STEPS } = process.env
  const first = Number(SEED ?? 1)
  const seeds = Number(SEEDS ?? (SEED ? 1 : inLongRun(6, 150)))
  const steps = Number(STEPS ?? 40)
  it('brings both sides to the same whatever happens', async () => {
    for (let seed = first; seed < first + seeds; seed++) {
      const model = await createModel(service, seed)
      try {
        for (let step = 0; step < steps; step++) await model.act()
        await model.settle()
        await model.check()
      } finally {
        model.remove()
      }
    }
  })
})
