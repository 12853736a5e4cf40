import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const source = fileURLToPath(new URL('../../src', import.meta.url))

interface SourceFile {
  /** Within `src`. */
  path: string
  text: string
  /** Files of `src` as their paths, packages as their names. */
  imports: string[]
  /** Those that are still there when the types are gone. */
  runtimeImports: string[]
}

const importStatement = /(?:^|\n)\s*(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s)?'([^']+)'|import\('([^']+)'\)/g

const importsOf = (path: string, text: string): Pick<SourceFile, 'imports' | 'runtimeImports'> => {
  const imports: string[] = []
  const runtimeImports: string[] = []
  for (const [, isType, named, loaded] of text.matchAll(importStatement)) {
    const name = (named ?? loaded)!
    const target = name.startsWith('.') ? join(dirname(path), name).replace(/\.js$/, '.ts') : name
    imports.push(target)
    if (!isType) runtimeImports.push(target)
  }
  return { imports, runtimeImports }
}

const readSource = (folder: string): SourceFile[] =>
  (readdirSync(folder, { recursive: true }) as string[])
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map((path) => {
      const text = readFileSync(join(folder, path), 'utf8')
      return { path, text, ...importsOf(path, text) }
    })

const files = readSource(source)
const searchFiles = readSource(join(source, '../../search/src'))

const sqlStatement = /\b(select [^'`]*\bfrom |insert into |update [a-z_]+ set |delete from )/

const tablesOf: Readonly<Record<string, readonly string[]>> = {
  tenants: ['tenants', 'tenant_names'],
  projects: ['projects', 'retired_projects'],
  users: ['users'],
  keys: ['api_keys', 'key_secrets', 'key_hashes'],
  sessions: ['console_sessions', 'console_links'],
  tasks: ['tasks', 'task_labels', 'task_links', 'ready_tasks'],
  comments: ['comments'],
  knowledge: ['knowledge', 'retired_knowledge'],
  events: ['events', 'stream_tickets'],
  webhooks: ['webhooks', 'webhook_secrets', 'webhook_deliveries'],
  deletions: ['deletions'],
  audit: ['audit_entries'],
  history: ['history', 'history_packs', 'history_positions'],
  trash: ['trash'],
  quotas: ['open_streams'],
  secrets: ['secret_keys'],
  limits: ['limit_windows'],
  idempotency: ['idempotent_requests'],
  search: ['search_snapshots', 'embedding_positions', 'embedding_queue', 'embeddings'],
}

/** Tables that a feature reads or writes though another owns them, each with its reason. */
const sharedWith: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  tasks: {
    users: 'a task shows its assignee as the user is now',
    projects: 'a project numbers its tasks, and whether one is ready depends on its limits',
  },
  events: { tenants: 'last_sequence numbers the events of a tenant' },
  history: { tenants: 'last_sequence numbers the versions that changes replaced, as it does their events' },
  trash: { tenants: 'last_sequence tells which deletions an entry holds' },
  webhooks: { tenants: 'last_sequence is the end of the log that webhooks follow' },
  search: { tenants: 'last_sequence is the end of the log that search follows' },
  keys: { tenants: 'a request is authenticated with the plan of its tenant, in one read' },
  quotas: { tenants: 'stored_bytes and the plan stand in the row of the tenant' },
  limits: { tenants: 'counts are written only for a tenant that still exists' },
}

const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|(^|\s)\/\/.*/g, '')

const tablesNamedIn = (text: string, tables: ReadonlySet<string>): string[] => {
  const named = [...withoutComments(text).matchAll(/\b(?:from|join|into|update)\s+(\w+)/g)].map(([, name]) => name!)
  return [...new Set(named)].filter((name) => tables.has(name))
}

const roleOf = (path: string): string => path.split('/').at(-1)!
const featureOf = (path: string): string => dirname(path).split('/')[0]!

describe('the architecture', () => {
  it('is read from the source', () => {
    assert.ok(files.length > 50)
    const tasks = files.find(({ path }) => path === 'tasks/service.ts')
    assert.ok(tasks?.imports.includes('projects/service.ts'))
    assert.ok(tasks?.imports.includes('tasks/store.ts'))
  })

  it('keeps HTTP out of services and stores', () => {
    const broken = files
      .filter(({ path }) => /(^|-)(service|store)\.ts$/.test(roleOf(path)))
      .flatMap(({ path, imports }) =>
        imports
          .filter((target) => target.startsWith('http/') || /^(@?fastify|node:http)/.test(target))
          .map((target) => `${path} → ${target}`),
      )
    assert.deepEqual(broken, [])
  })

  it('lets features meet through their services, never through a store', () => {
    const broken = files.flatMap(({ path, imports }) =>
      imports
        .filter((target) => /(^|-)store\.ts$/.test(roleOf(target)) && featureOf(target) !== featureOf(path))
        .map((target) => `${path} → ${target}`),
    )
    assert.deepEqual(broken, [])
  })

  it('writes SQL in store files and db/ only', () => {
    const mayWriteSql = (path: string): boolean => /(^|[/-])store\.ts$/.test(path) || path.startsWith('db/')
    const broken = files
      .filter(({ path, text }) => sqlStatement.test(withoutComments(text)) && !mayWriteSql(path))
      .map(({ path }) => path)
    assert.deepEqual(broken, [])
  })

  it('lets a feature name only its own tables in SQL', () => {
    const created = files
      .filter(({ path }) => path.startsWith('db/migrations/'))
      .flatMap(({ text }) => [...text.matchAll(/create table (\w+)/g)].map(([, name]) => name!))
      .filter((name) => !name.endsWith('_rebuilt'))
    assert.deepEqual(created.toSorted(), Object.values(tablesOf).flat().toSorted())

    const tables = new Set(created)
    const used = new Set<string>()
    const broken = files
      .filter(({ path }) => !path.startsWith('db/'))
      .flatMap(({ path, text }) =>
        tablesNamedIn(text, tables)
          .filter((table) => {
            const feature = featureOf(path)
            if (tablesOf[feature]?.includes(table)) return false
            used.add(`${feature} ${table}`)
            return !sharedWith[feature]?.[table]
          })
          .map((table) => `${path} → ${table}`),
      )
    assert.deepEqual(broken, [])
    const allowed = Object.entries(sharedWith).flatMap(([feature, shared]) =>
      Object.keys(shared).map((table) => `${feature} ${table}`),
    )
    assert.deepEqual([...used].toSorted(), allowed.toSorted())
  })

  it('has a search engine that knows neither the service nor its tables', () => {
    assert.ok(searchFiles.length > 40)
    const mayImport = (target: string): boolean =>
      searchFiles.some(({ path }) => path === target) ||
      (target.startsWith('node:') && !/^node:(http|net)/.test(target))
    const broken = searchFiles.flatMap(({ path, text, imports }) => [
      ...imports.filter((target) => !mayImport(target)).map((target) => `${path} → ${target}`),
      ...(sqlStatement.test(text) ? [`${path} writes SQL`] : []),
    ])
    assert.deepEqual(broken, [])
  })

  it('reaches the search engine by its package, never by its files', () => {
    const broken = files.flatMap(({ path, imports }) =>
      imports
        .filter((target) => target.startsWith('../') || /^worklore-search\/(?!worker$)/.test(target))
        .map((target) => `${path} → ${target}`),
    )
    assert.deepEqual(broken, [])
  })

  it('names an engine only where the store is opened, set or worked on', () => {
    const mayKnow = (path: string): boolean => path === 'config.ts' || /^(db|cli)\//.test(path)
    const broken = files
      .filter(({ path, text }) => !mayKnow(path) && /['"`](sqlite|postgres)['"`]/.test(text))
      .map(({ path }) => path)
    assert.deepEqual(broken, [])
  })

  const circlesAmong = (sources: readonly SourceFile[]): string[] => {
    const byPath = new Map(sources.map((file) => [file.path, file]))
    const done = new Set<string>()
    const circles: string[] = []
    const visit = (path: string, trail: string[]): void => {
      if (trail.includes(path)) {
        circles.push([...trail.slice(trail.indexOf(path)), path].join(' → '))
        return
      }
      if (done.has(path)) return
      for (const target of byPath.get(path)?.runtimeImports ?? []) {
        if (byPath.has(target)) visit(target, [...trail, path])
      }
      done.add(path)
    }
    for (const { path } of sources) visit(path, [])
    return circles
  }

  it('has no circle of imports', () => {
    assert.deepEqual(circlesAmong(files), [])
    assert.deepEqual(circlesAmong(searchFiles), [])
  })

  it('has files named in kebab-case, and no folder or file named for nothing', () => {
    const vague = /(^|\/)(utils?|helpers?|managers?|common|misc)(\/|\.ts$)/
    const broken = [...files, ...searchFiles].filter(
      ({ path }) => !/^([a-z0-9-]+\/)*[a-z0-9-]+\.ts$/.test(path) || vague.test(path),
    )
    assert.deepEqual(
      broken.map(({ path }) => path),
      [],
    )
  })
})
