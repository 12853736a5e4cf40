import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const tools = fileURLToPath(new URL('../../../../tools', import.meta.url))

/** A program that writes a file and is otherwise done at once: what is built is not what these tests are about. */
const writing = (path: string): string =>
  `const { mkdirSync, writeFileSync } = await import('node:fs')
const { dirname } = await import('node:path')
mkdirSync(dirname('${path}'), { recursive: true })
writeFileSync('${path}', '')`

describe('the build before a start', () => {
  let root: string
  const changedAt = (path: string, seconds: number): void => utimesSync(join(root, path), seconds, seconds)
  const write = (path: string, text = ''): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
    changedAt(path, 0)
  }
  const sources = [
    'cli/src/a.ts',
    'cli/tools/a.ts',
    'client/node/a.ts',
    'client/src/a.ts',
    'search/src/a.ts',
    'search/tools/a.ts',
    'server/src/a.ts',
    'console/src/a.ts',
  ]
  const consoleFiles = ['index.html', 'package.json', 'public/icon.svg', 'vite.config.ts']

  before(() => {
    root = mkdtempSync(join(tmpdir(), 'worklore-start-'))
    cpSync(tools, join(root, 'tools'), { recursive: true })
    write('package.json', '{"type":"module"}')
    write('package-lock.json')
    for (const path of [...sources, ...consoleFiles.map((name) => `console/${name}`)]) write(`packages/${path}`)
    write('packages/server/tools/bundle.js', writing('packages/server/dist/main.js'))
    write('packages/search/dist/tools/build-model.js')
    write('packages/cli/dist/tools/bundle.js', writing('packages/cli/dist/bundle/main.cjs'))
    write('packages/client/dist/src/index.js')
    write('node_modules/typescript/bin/tsc')
    write('node_modules/vite/bin/vite.js', writing('dist/app/index.html'))
    for (const folder of [
      'cli/src',
      'cli/tools',
      'client/node',
      'client/src',
      'client/dist/src',
      'search/src',
      'search/tools',
      'server/src',
      'server/tools',
    ]) {
      changedAt(`packages/${folder}`, 0)
    }
    for (const folder of ['src', 'public']) changedAt(`packages/console/${folder}`, 0)
  })
  after(() => rmSync(root, { recursive: true }))

  const build = (): { status: number | null; stdout: string; lines: string[] } => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'tools/build-before-start.js')], {
      encoding: 'utf8',
    })
    return { status, stdout, lines: stderr.split('\n').filter((line) => line !== '') }
  }

  it('says that it builds for the first start, and at which step it is', () => {
    const { status, stdout, lines } = build()
    assert.deepEqual([status, stdout], [0, ''])
    assert.deepEqual(lines.slice(0, -1), [
      'Building (first start only)…',
      '  1/6  Compiling the service',
      '  2/6  Preparing the model of the search',
      '  3/6  Bundling the service',
      '  4/6  Compiling wl',
      '  5/6  Bundling wl',
      '  6/6  Building the web console',
    ])
    assert.match(lines.at(-1)!, /^Built in \d+ s\.$/)
  })

  it('says nothing where all is built', () => {
    assert.deepEqual(build().lines, [])
  })

  it('builds again what has changed, and says so', () => {
    changedAt('packages/console/src/a.ts', Date.now() / 1_000 + 60)
    assert.deepEqual(build().lines.slice(0, 2), ['Building what has changed…', '  1/1  Building the web console'])
  })

  it('ends with the status of a step that fails', () => {
    changedAt('packages/server/src/a.ts', Date.now() / 1_000 + 60)
    write('node_modules/typescript/bin/tsc', 'process.exit(3)')
    const { status, lines } = build()
    assert.deepEqual([status, lines.at(-1)], [3, '  1/4  Compiling the service'])
  })
})
