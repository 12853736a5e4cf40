import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { type KnowledgeItem, Worklore } from 'worklore-client'
import type { TestTenant } from 'worklore-testing/harness'
import { addTenant } from 'worklore-testing/operator'
import { createUser } from './wl.js'

export interface Line {
  action: string
  path: string
  side?: 'folder' | 'service'
  about?: string
}

interface Synced {
  code: number | null
  stderr: string
  lines: Line[]
  /** Actions and paths, in order of the paths. */
  actions: string[]
  summary: Record<string, number> & { conflictFiles: string[] }
}

const isNote = (name: string): boolean => name.endsWith('.md')

/** A folder and a tenant of its own, to be synced. */
export const syncStage = async (test: TestContext, service: TestTenant, plan?: string) => {
  const key = await addTenant(service, plan)
  const user = createUser(service.baseUrl, key)
  test.after(() => user.remove())
  const wl = new Worklore({ baseUrl: service.baseUrl, apiKey: key })
  const folder = join(user.folder, 'vault')
  mkdirSync(folder)
  const at = (path: string): string => join(folder, path)

  const parse = (code: number | null, stdout: string, stderr: string): Synced => {
    const all = stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
    const lines: Line[] = all.filter(({ action }) => action !== undefined)
    return {
      code,
      stderr,
      lines,
      actions: lines.map(({ action, path }) => `${action} ${path}`).sort(),
      summary: all.find(({ summary }) => summary)?.summary,
    }
  }
  const run = async (...words: string[]): Promise<Synced> => {
    const needsTarget = !words.includes('-p') && !existsSync(at('.worklore/sync.json'))
    const target = needsTarget ? ['--tenant'] : []
    const { code, stdout, stderr } = await user.run(['sync', 'vault', '--json', ...target, ...words])
    return parse(code, stdout, stderr)
  }

  return {
    user,
    key,
    wl,
    folder,
    at,
    run,
    /** A run that must do exactly this. */
    expect: async (actions: string[], ...words: string[]): Promise<Synced> => {
      const synced = await run(...words)
      assert.deepEqual(synced.actions, [...actions].sort(), synced.stderr)
      return synced
    },
    write: (path: string, text: string | Uint8Array): void => {
      mkdirSync(dirname(at(path)), { recursive: true })
      writeFileSync(at(path), text)
    },
    read: (path: string): string => readFileSync(at(path), 'utf8'),
    remove: (path: string): void => rmSync(at(path)),
    /** Every Markdown file, conflict files too. */
    files: (): Record<string, string> =>
      Object.fromEntries(
        (readdirSync(folder, { recursive: true }) as string[])
          .filter((name) => isNote(name) && statSync(at(name)).isFile())
          .sort()
          .map((name) => [name, readFileSync(at(name), 'utf8')]),
      ),
    /** Every note of the tenant as the files that it should be. */
    notes: async (): Promise<Record<string, string>> => {
      const items: KnowledgeItem[] = []
      for await (const item of wl.knowledge.list({ scope: 'tenant', limit: 500 })) items.push(item)
      return Object.fromEntries(items.map(({ key: name, content }) => [`${name}.md`, content] as const).sort())
    },
  }
}

export type SyncStage = Awaited<ReturnType<typeof syncStage>>
