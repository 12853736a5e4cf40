import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const { platform, arch } = process

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))

/** Empty files under the names that the installed packages have: their binaries are too large to copy for a test. */
const mirror = (name: string, to: string): void => {
  const from = join(root, 'node_modules', name)
  for (const path of filesBelow(from)) {
    const copy = join(to, 'node_modules', name, path)
    mkdirSync(dirname(copy), { recursive: true })
    writeFileSync(copy, '')
  }
}

describe('pruning platforms', () => {
  let copy: string
  before(() => {
    copy = mkdtempSync(join(tmpdir(), 'worklore-prune-'))
    cpSync(join(root, 'tools'), join(copy, 'tools'), { recursive: true })
    writeFileSync(join(copy, 'package.json'), '{"type":"module"}')
    mirror('onnxruntime-node', copy)
    mirror('@photostructure/sqlite', copy)
  })
  after(() => rmSync(copy, { recursive: true }))
  const prune = () => execFileSync(process.execPath, [join(copy, 'tools/prune-platforms.js')])
  const packageFiles = (name: string): string[] => filesBelow(join(copy, 'node_modules', name))

  it('keeps the binaries of this platform and removes the others', () => {
    const ofOthers = (path: string): boolean =>
      (path.startsWith('bin/') && !path.startsWith(`bin/napi-v3/${platform}/${arch}/`)) ||
      (path.startsWith('prebuilds/') && !path.startsWith(`prebuilds/${platform}-${arch}/`)) ||
      path.startsWith('src/')
    const names = ['onnxruntime-node', '@photostructure/sqlite']
    const installed = names.map(packageFiles)
    for (const files of installed) assert.ok(files.some(ofOthers))
    prune()
    assert.deepEqual(
      names.map(packageFiles),
      installed.map((files) => files.filter((path) => !ofOthers(path))),
    )
    assert.ok(packageFiles('onnxruntime-node').includes(`bin/napi-v3/${platform}/${arch}/onnxruntime_binding.node`))
  })

  it('does not need the runtime of the embedding model', () => {
    rmSync(join(copy, 'node_modules/onnxruntime-node'), { recursive: true })
    prune()
    assert.ok(existsSync(join(copy, 'node_modules/@photostructure/sqlite/prebuilds', `${platform}-${arch}`)))
  })
})
