import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, posix } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { testAdminKey } from 'worklore-testing/harness'
import { startInstalledRegistry } from './installed-registry.js'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const license = readFileSync(join(root, 'LICENSE'), 'utf8')
const relativeImport = /(?:\bfrom|\bimport|\bimport\(|new URL\()\s*'(\.{1,2}\/[^']+\.js)'/g

interface Pack {
  filename: string
  files: { path: string }[]
  /** Of the archive. */
  size: number
}

const names = ['server', 'client', 'cli', 'github']

const scratch = mkdtempSync(join(tmpdir(), 'worklore-packs-'))
after(() => rmSync(scratch, { recursive: true, force: true }))

const run = (command: string, words: string[], cwd: string, environment: Record<string, string> = {}) => {
  const outer = Object.entries(process.env).filter(([name]) => !name.startsWith('npm_'))
  return promisify(execFile)(command, words, { cwd, env: { ...Object.fromEntries(outer), ...environment } })
}

/** Packs a package, after the build that npm runs itself. */
const packOf = async (folder: string): Promise<Pack> => {
  const { stdout } = await run(
    'npm',
    ['pack', '--json', '--ignore-scripts=false', '--pack-destination', scratch],
    folder,
  )
  // What the scripts print comes before.
  const [pack] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as [Pack]
  return pack
}

/** The command line is installed on many machines, and by `npx` each time: it is to stay small. */
const maxPackedBytes: Record<string, number> = { cli: 140_000 }
const archives: string[] = []

for (const name of names) {
  describe(`the pack of the ${name}`, () => {
    const folder = join(root, 'packages', name)
    const read = (path: string): string => readFileSync(join(folder, path), 'utf8')
    const manifest = JSON.parse(read('package.json'))
    let files: string[]
    let packedBytes: number
    before(async () => {
      const pack = await packOf(folder)
      files = pack.files.map(({ path }) => path)
      packedBytes = pack.size
      archives.push(join(scratch, pack.filename))
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
      assert.ok(packedBytes < (maxPackedBytes[name] ?? Number.POSITIVE_INFINITY), `${packedBytes} bytes`)
    })

    it('installs nothing but its dependencies, without a script', () => {
      for (const script of ['preinstall', 'install', 'postinstall', 'prepare']) {
        assert.equal(manifest.scripts[script], undefined, script)
      }
    })
  })
}

describe('the packs, installed together in an empty folder', () => {
  const folder = join(scratch, 'empty')
  const data = join(scratch, 'data')
  const bin = (name: string): string => join(folder, 'node_modules/.bin', name)

  it('take nothing from a registry but what they name', async (test) => {
    mkdirSync(folder)
    const registry = await startInstalledRegistry(root)
    test.after(registry.stop)
    const settings = { npm_config_registry: registry.url, npm_config_cache: join(scratch, 'cache') }
    const words = ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...archives]
    await run('npm', words, folder, settings)
    const own = readdirSync(join(folder, 'node_modules')).filter((each) => each.startsWith('worklore'))
    assert.deepEqual(own.sort(), ['worklore', 'worklore-cli', 'worklore-client', 'worklore-github'])
  })

  it('serve, and work with what is served', async (test) => {
    const environment = { HOST: '127.0.0.1', PORT: '0', WORKLORE_DATA: data, WORKLORE_ADMIN_KEY: testAdminKey }
    const service = execFile(bin('worklore'), ['serve'], {
      cwd: folder,
      env: { PATH: process.env.PATH, ...environment },
    })
    test.after(() => service.kill('SIGKILL'))
    let said = ''
    const url = await new Promise<string>((resolve, reject) => {
      service.once('exit', () => reject(new Error(said)))
      service.stderr!.on('data', (chunk) => {
        said += chunk
      })
      service.stdout!.on('data', (chunk) => {
        said += chunk
        const address = /listening on (http:\S+)/.exec(said)?.[1]
        if (address) resolve(address)
      })
    })
    const user = { WORKLORE_URL: url, WORKLORE_KEY: testAdminKey, XDG_CONFIG_HOME: data }
    assert.equal((await run(bin('wl'), ['projects', 'create', 'PACK', '-q'], folder, user)).stdout, 'PACK\n')
    const script = `import { Worklore } from 'worklore-client'
      const wl = new Worklore({ baseUrl: process.env.WORKLORE_URL, apiKey: process.env.WORKLORE_KEY })
      console.log((await wl.tasks.create({ projectId: 'PACK', title: 'Packed' })).id)`
    writeFileSync(join(folder, 'try.mjs'), script)
    assert.equal((await run(process.execPath, ['try.mjs'], folder, user)).stdout, 'PACK-1\n')
    assert.match((await run(bin('wl'), ['ls'], folder, user)).stdout, /^PACK-1\ttodo\t.*Packed\n$/)
  })
})

describe('the pack of the command line, alone in an empty folder', () => {
  it('needs nothing else', async () => {
    const folder = join(scratch, 'alone')
    mkdirSync(folder)
    const archive = archives.find((each) => /worklore-cli-\d/.test(each))!
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', archive], folder, {
      npm_config_cache: join(scratch, 'no-cache'),
    })
    const wl = join(folder, 'node_modules/.bin/wl')
    assert.match((await run(wl, ['ls', '--help'], folder)).stdout, /^Usage: wl ls /)
  })
})

describe('the pack of the GitHub bridge, alone in an empty folder', () => {
  it('needs nothing else', async () => {
    const folder = join(scratch, 'bridge')
    mkdirSync(folder)
    const archive = archives.find((each) => /worklore-github-\d/.test(each))!
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', archive], folder, {
      npm_config_cache: join(scratch, 'no-cache'),
    })
    const bridge = join(folder, 'node_modules/.bin/wl-github')
    assert.match((await run(bridge, ['--help'], folder)).stdout, /^Usage: wl github sync /)
  })
})
