import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const folders = ['packages', 'bench', 'tools']
const notOurs = /(?:^|\/)(?:node_modules|dist|console\/public)\//
/** What the client exports is for programs of others; the console's build puts a module in the place of a package's. */
const usedOutside = /^packages\/(?:client\/(?:src|examples)\/|console\/src\/with-selector\.ts$)/

const sources = folders
  .flatMap((folder) =>
    (readdirSync(join(root, folder), { recursive: true }) as string[]).map((path) => `${folder}/${path}`),
  )
  .filter((path) => /\.(?:ts|tsx|js)$/.test(path) && !notOurs.test(path))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))

it('everything that is exported is used by another file', () => {
  const filesWith = new Map<string, number>()
  for (const { text } of sources) {
    for (const word of new Set(text.match(/\w+/g))) filesWith.set(word, (filesWith.get(word) ?? 0) + 1)
  }
  const exported = /^export (?:declare )?(?:async )?(?:const|function|class|interface|type|enum) (\w+)/gm
  const unused = sources
    .filter(({ path }) => /\.tsx?$/.test(path) && !path.includes('.gen.') && !usedOutside.test(path))
    .flatMap(({ path, text }) => [...text.matchAll(exported)].map(([, name]) => ({ path, name: name! })))
    .filter(({ name }) => filesWith.get(name) === 1)
  assert.deepEqual(unused, [])
})
