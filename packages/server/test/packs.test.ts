import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const license = readFileSync(join(root, 'LICENSE'), 'utf8')
const relativeImport = /(?:\bfrom|\bimport|\bimport\(|new URL\()\s*'(\.{1,2}\/[^']+\.js)'/g

interface Pack {
  files: { path: string }[]
  unpackedSize: number
}

/** What `npm pack` would put into the archive, after the build that it runs itself. */
const packOf = async (folder: string): Promise<Pack> => {
  const environment = Object.entries(process.env).filter(([name]) => !name.startsWith('npm_'))
  const { stdout } = await promisify(execFile)('npm', ['pack', '--dry-run', '--json'], {
    cwd: folder,
    env: Object.fromEntries(environment),
  })
  // What the scripts print comes before.
  const [pack] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as [Pack]
  return pack
}

/** The command line is installed on many machines, and by `npx` each time: it is to stay small. */
const maxInstalledBytes: Record<string, number> = { cli: 100_000 }

for (const name of ['server', 'client', 'cli']) {
  describe(`the pack of the ${name}`, () => {
    const folder = join(root, 'packages', name)
    const read = (path: string): string => readFileSync(join(folder, path), 'utf8')
    const manifest = JSON.parse(read('package.json'))
    let files: string[]
    let installedBytes: number
    before(async () => {
      const pack = await packOf(folder)
      files = pack.files.map(({ path }) => path)
      installedBytes = pack.unpackedSize
    })

    it('has what a reader of the registry looks for', () => {
      for (const path of ['README.md', 'LICENSE', 'package.json']) assert.ok(files.includes(path), path)
      assert.equal(read('LICENSE'), license)
      assert.equal(manifest.license, 'Apache-2.0')
      assert.equal(manifest.repository.directory, `packages/${name}`)
      assert.ok(manifest.description.length > 20)
      assert.ok(manifest.keywords.length >= 5)
    })

    it('has the packages that it bundles, whole', () => {
      const model = ['node_modules/worklore-search/dist/model/minilm.onnx']
      const bundled = (manifest.bundleDependencies ?? []).map((each: string) => `node_modules/${each}/package.json`)
      for (const path of [...bundled, ...(name === 'server' ? model : [])]) assert.ok(files.includes(path), path)
    })

    it('has no source, no test and no source map', () => {
      const unwanted = files.filter(
        (path) => /\.map$|\.test\.|-fixture\.|tsbuildinfo|^(src|test|tools)\//.test(path) || /(?<!\.d)\.ts$/.test(path),
      )
      assert.deepEqual(unwanted, [])
    })

    it('has every file that its entries and files name', () => {
      const entries = [
        ...Object.values<string>(manifest.bin ?? {}),
        ...Object.values<Record<string, string>>(manifest.exports ?? {}).flatMap((each) => Object.values(each)),
      ]
      assert.ok(entries.length > 0)
      const packed = new Set(files)
      const missing = entries.map((path) => posix.normalize(path)).filter((path) => !packed.has(path))
      for (const path of files.filter((each) => each.endsWith('.js'))) {
        for (const [, target] of read(path).matchAll(relativeImport)) {
          const named = posix.join(dirname(path), target!)
          if (!packed.has(named)) missing.push(`${path} → ${named}`)
        }
      }
      assert.deepEqual(missing, [])
    })

    it('is not larger than it is to be', () => {
      assert.ok(installedBytes < (maxInstalledBytes[name] ?? Number.POSITIVE_INFINITY), `${installedBytes} bytes`)
    })

    it('installs nothing but its dependencies, without a script', () => {
      for (const script of ['preinstall', 'install', 'postinstall', 'prepare']) {
        assert.equal(manifest.scripts[script], undefined, script)
      }
    })
  })
}
