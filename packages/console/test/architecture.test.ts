import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const source = fileURLToPath(new URL('../../src', import.meta.url))
const maxFilesPerFolder = 20

const files = (readdirSync(source, { recursive: true }) as string[]).filter((path) => /\.tsx?$/.test(path))

/** Folder of a file; a file beside the folders counts as one of its own. */
const folderOf = (path: string): string => (dirname(path) === '.' ? path : dirname(path))

const importedFolders = (path: string): string[] =>
  [...readFileSync(join(source, path), 'utf8').matchAll(/(?:from |import\()'(\.[^']+)'/g)]
    .map(([, name]) => join(dirname(path), name!))
    .flatMap((target) => files.filter((file) => file === `${target}.ts` || file === `${target}.tsx`))
    .map(folderOf)

const importsOf = new Map<string, Set<string>>()
for (const path of files) {
  const folder = folderOf(path)
  const imports = importsOf.get(folder) ?? new Set()
  for (const target of importedFolders(path)) if (target !== folder) imports.add(target)
  importsOf.set(folder, imports)
}

const cycleFrom = (folder: string, path: readonly string[]): readonly string[] | undefined => {
  if (path.includes(folder)) return [...path.slice(path.indexOf(folder)), folder]
  for (const target of importsOf.get(folder) ?? []) {
    const cycle = cycleFrom(target, [...path, folder])
    if (cycle) return cycle
  }
  return undefined
}

describe('the folders of the console', () => {
  it('do not import each other in a cycle', () => {
    for (const folder of importsOf.keys()) assert.equal(cycleFrom(folder, [])?.join(' → '), undefined)
  })

  it(`hold at most ${maxFilesPerFolder} files each`, () => {
    for (const folder of importsOf.keys()) {
      const count = files.filter((path) => folderOf(path) === folder).length
      assert.ok(count <= maxFilesPerFolder, `${folder} has ${count} files`)
    }
  })
})
