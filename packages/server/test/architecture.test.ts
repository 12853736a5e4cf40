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

const files: SourceFile[] = (readdirSync(source, { recursive: true }) as string[])
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  .map((path) => {
    const text = readFileSync(join(source, path), 'utf8')
    return { path, text, ...importsOf(path, text) }
  })

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

  it('names an engine only where the store is opened, set or worked on', () => {
    const mayKnow = (path: string): boolean => path === 'config.ts' || /^(db|cli)\//.test(path)
    const broken = files
      .filter(({ path, text }) => !mayKnow(path) && /['"`](sqlite|postgres)['"`]/.test(text))
      .map(({ path }) => path)
    assert.deepEqual(broken, [])
  })

  it('has no circle of imports', () => {
    const byPath = new Map(files.map((file) => [file.path, file]))
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
    for (const { path } of files) visit(path, [])
    assert.deepEqual(circles, [])
  })

  it('has files named in kebab-case, and no folder or file named for nothing', () => {
    const vague = /(^|\/)(utils?|helpers?|managers?|common|misc)(\/|\.ts$)/
    const broken = files.filter(({ path }) => !/^([a-z0-9-]+\/)*[a-z0-9-]+\.ts$/.test(path) || vague.test(path))
    assert.deepEqual(
      broken.map(({ path }) => path),
      [],
    )
  })
})
