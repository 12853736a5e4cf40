import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
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
  /** Imports that are evaluated before the file, without those of types and `import()`. */
  runtimeImports: string[]
}

const importStatement = /(?:^|\n)\s*(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s)?'([^']+)'|import\('([^']+)'\)/g

/** The console omits the extension of the files that it imports. */
const pathOf = (folder: string, name: string): string => {
  const path = name.replace(/\.js$/, '')
  return [`${path}.ts`, `${path}.tsx`].find((each) => existsSync(join(folder, each))) ?? name
}

const importsOf = (folder: string, path: string, text: string): Pick<SourceFile, 'imports' | 'runtimeImports'> => {
  const imports: string[] = []
  const runtimeImports: string[] = []
  for (const [, isType, named, loaded] of text.matchAll(importStatement)) {
    const name = (named ?? loaded)!
    const target = name.startsWith('.') ? pathOf(folder, join(dirname(path), name)) : name
    imports.push(target)
    if (!isType && named) runtimeImports.push(target)
  }
  return { imports, runtimeImports }
}

const readSource = (folder: string): SourceFile[] =>
  (readdirSync(folder, { recursive: true }) as string[])
    .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.test.ts'))
    .map((path) => {
      const text = readFileSync(join(folder, path), 'utf8')
      return { path, text, ...importsOf(folder, path, text) }
    })

const packages = join(source, '../..')
const files = readSource(source)
const searchFiles = readSource(join(source, '../../search/src'))

const sqlStatement = /\b(select [^'`]*\bfrom |insert into |update [a-z_]+ set |delete from )/

/** From the bottom up: a folder imports from those before it, never from those after it. */
const layers = [
  'base',
  'scheduling',
  'db',
  'background',
  'limits',
  'observability',
  'config.ts',
  'operations',
  'changelog',
  'tenancy',
  'work',
  'recovery',
  'subscribers',
  'http',
  'mcp',
  'app.ts',
  'main.ts',
  'cli',
]

/** The layers whose folders are features of their own. */
const featureLayers = new Set(['tenancy', 'work', 'recovery', 'subscribers'])

const tablesOf: Readonly<Record<string, readonly string[]>> = {
  db: ['secret_keys'],
  background: ['due_work'],
  limits: ['limit_windows', 'open_streams', 'usage_counts', 'agent_waits'],
  operations: ['idempotent_requests'],
  changelog: ['events', 'history', 'history_packs', 'trash', 'deletions', 'erasures', 'audit_entries', 'inbox_entries'],
  'tenancy/tenants': ['tenants', 'tenant_names'],
  'tenancy/projects': ['projects', 'retired_projects', 'project_members', 'deleted_private_projects'],
  'tenancy/users': ['users'],
  'tenancy/keys': [
    'api_keys',
    'key_secrets',
    'key_hashes',
    'console_sessions',
    'console_links',
    'logout_tokens',
    'user_identities',
  ],
  'work/tasks': [
    'tasks',
    'task_labels',
    'task_links',
    'severed_links',
    'ready_tasks',
    'task_resources',
    'comments',
    'questions',
    'ended_claims',
  ],
  'work/knowledge': [
    'knowledge',
    'knowledge_tags',
    'knowledge_supersedes',
    'knowledge_links',
    'knowledge_keys',
    'task_products',
    'stale_checks',
  ],
  'work/reliance': ['task_basis', 'stale_marks'],
  'recovery/history': ['history_positions'],
  'subscribers/search': ['search_snapshots', 'embedding_positions', 'embedding_queue', 'embeddings'],
  'subscribers/webhooks': ['webhooks', 'webhook_secrets', 'webhook_deliveries'],
}

/** Tables that a feature reads or writes though another owns them, each with its reason. */
const sharedWith: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  limits: { tenants: 'counts are written only for a tenant that exists; stored_bytes and the plan are in its row' },
  changelog: {
    tenants: 'last_sequence numbers the changes of a tenant',
    users: 'inbox entries are written only for users who exist, in one statement',
  },
  'tenancy/keys': {
    tenants: 'a request is authenticated with the plan of its tenant, in one read',
    users: 'the key of a user who signs in has the scopes of their role',
  },
  'work/tasks': {
    users: 'a task shows its assignee as the user is now',
    projects: 'a project numbers its tasks, and whether one is ready depends on its limits',
    task_basis: 'what tasks that come back relied on is looked at again',
    stale_checks: 'the same: the queue of those looks',
  },
  'work/knowledge': {
    projects: 'a key continues the versions that it had in deleted projects with the same key',
    task_basis: 'a change of an item queues a check only if a task has relied on the item',
  },
  'work/reliance': {
    knowledge: 'lists show where items are and in what state, and go by page',
    tasks: 'the same: which tasks there are',
    task_products: 'what was written under claims depends on what their tasks relied on',
    stale_checks: 'works through the looks that changes queue',
  },
  'recovery/history': {
    history: 'reads, trims and deletes the versions that changes keep',
    history_packs: 'packs old versions',
  },
  'recovery/trash': {
    trash: 'lists, restores and purges what changes put there',
  },
  'subscribers/events': {
    events: 'reads the log that changes write, and trims it',
    tenants: 'last_sequence is the end of the log',
  },
  'subscribers/inbox': {
    inbox_entries: 'reads what changes write there, and what of it was read',
    tasks: 'entries about a task in the trash are not shown, in one read',
    comments: 'the same for comments',
    users: 'webhooks send the entries of human users, with their names',
  },
  'subscribers/webhooks': { tenants: 'last_sequence is the end of the log that webhooks follow' },
  'subscribers/search': { tenants: 'last_sequence is the end of the log that search follows' },
}

const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|(^|\s)\/\/.*/g, '')

const tablesNamedIn = (text: string, tables: ReadonlySet<string>): string[] => {
  const named = [...withoutComments(text).matchAll(/\b(?:from|join|into|update)\s+(\w+)/g)].map(([, name]) => name!)
  return [...new Set(named)].filter((name) => tables.has(name))
}

const roleOf = (path: string): string => path.split('/').at(-1)!
const layerOf = (path: string): string => path.split('/')[0]!
const featureOf = (path: string): string =>
  path
    .split('/')
    .slice(0, featureLayers.has(layerOf(path)) ? 2 : 1)
    .join('/')
const isOwnFile = (target: string): boolean => files.some(({ path }) => path === target)

describe('the architecture', () => {
  it('is read from the source', () => {
    assert.ok(files.length > 50)
    const tasks = files.find(({ path }) => path === 'work/tasks/service.ts')
    assert.ok(tasks?.imports.includes('tenancy/projects/service.ts'))
    assert.ok(tasks?.imports.includes('work/tasks/store.ts'))
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

  it('imports only from lower layers', () => {
    const broken = files.flatMap(({ path, imports }) =>
      imports
        .filter((target) => isOwnFile(target) && layers.indexOf(layerOf(target)) > layers.indexOf(layerOf(path)))
        .map((target) => `${path} → ${target}`),
    )
    assert.deepEqual(broken, [])
    assert.deepEqual([...new Set(files.map(({ path }) => layerOf(path)))].toSorted(), layers.toSorted())
  })

  it('has no circle of imports between features', () => {
    const features = new Map<string, Set<string>>()
    for (const { path, imports } of files) {
      const targets = features.get(featureOf(path)) ?? new Set()
      for (const target of imports.filter(isOwnFile)) targets.add(featureOf(target))
      features.set(featureOf(path), targets)
    }
    const asFiles = [...features].map(([path, targets]) => ({
      path,
      text: '',
      imports: [],
      runtimeImports: [...targets].filter((target) => target !== path),
    }))
    assert.deepEqual(circlesAmong(asFiles), [])
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

  it('writes a limit that is a parameter as an expression: SQLite plans a statement anew for each bare one', () => {
    const broken = files.filter(({ text }) => /\blimit \?(?=['`)\n]|\$\{| offset)/.test(text)).map(({ path }) => path)
    assert.deepEqual(broken, [])
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

  it('shares test code as a package, which only tests and tools use', () => {
    const imported = readdirSync(packages)
      .filter((name) => name !== 'testing')
      .flatMap((name) => ['src', 'test', 'tools'].map((folder) => join(packages, name, folder)))
      .filter((folder) => existsSync(folder))
      .flatMap((folder) =>
        (readdirSync(folder, { recursive: true }) as string[])
          .filter((path) => /\.tsx?$/.test(path))
          .flatMap((path) => {
            const { imports } = importsOf(folder, path, readFileSync(join(folder, path), 'utf8'))
            return imports.map((target) => ({ folder, path, target }))
          }),
      )
    const isProduct = (folder: string, path: string): boolean => folder.endsWith('/src') && !path.includes('.test.')
    const broken = imported.filter(
      ({ folder, path, target }) =>
        /^worklore[\w-]*\/dist\//.test(target) || (target.startsWith('worklore-testing') && isProduct(folder, path)),
    )
    assert.deepEqual(broken, [])
  })

  it('has no circle of imports', () => {
    for (const name of ['server', 'search', 'client', 'cli', 'github', 'console']) {
      assert.deepEqual(circlesAmong(readSource(join(packages, name, 'src'))), [], name)
    }
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
