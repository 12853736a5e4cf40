import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const manifest = (path: string) => JSON.parse(read(path))

const manifests = [
  'package.json',
  ...readdirSync(join(root, 'packages')).map((name) => `packages/${name}/package.json`),
]
  .filter((path) => existsSync(join(root, path)))
  .map(manifest)

interface LockedPackage {
  engines?: { node?: string }
  deprecated?: string
}

// It ships without types.
const { satisfies } = createRequire(import.meta.url)('semver') as { satisfies(version: string, range: string): boolean }

describe('what the service is built of', () => {
  it('is installed in a checkout without running an install script', () => {
    assert.match(read('.npmrc'), /^ignore-scripts=true$/m)
    // With this setting, npm also skips our own pre and post scripts.
    const { scripts } = manifest('package.json')
    for (const name of Object.keys(scripts)) {
      const before = /^(?:pre|post)(.+)$/.exec(name)?.[1]
      assert.ok(before === undefined || !(before in scripts), `${name} is never run`)
    }
  })

  it('includes one package with an install script where it runs', () => {
    const packages = Object.entries<{ hasInstallScript?: boolean; dev?: boolean }>(
      manifest('package-lock.json').packages,
    )
    const names = packages.filter(([, { hasInstallScript, dev }]) => hasInstallScript && !dev).map(([path]) => path)
    assert.deepEqual(names, ['node_modules/@photostructure/sqlite'])
    assert.match(read('docs/companies.md'), /`@photostructure\/sqlite`/)
  })

  it('installs without a warning on every Node.js it supports', () => {
    for (const [path, { engines, deprecated }] of Object.entries<LockedPackage>(
      manifest('package-lock.json').packages,
    )) {
      for (const version of ['20.19.0', '22.12.0', '24.0.0']) {
        assert.ok(satisfies(version, engines?.node ?? '*'), `${path} needs Node.js ${engines?.node}, not ${version}`)
      }
      assert.equal(deprecated, undefined, path)
    }
  })

  it('is pinned by the lockfile, with a hash for what is fetched', () => {
    for (const [path, entry] of Object.entries<Record<string, unknown>>(manifest('package-lock.json').packages)) {
      if (!path.includes('node_modules/') || entry.link) continue
      assert.match(String(entry.integrity), /^sha512-/, path)
    }
  })

  it('is installed with all that the bundled search engine needs, for npm installs nothing for a bundled package', () => {
    const { optionalDependencies, bundleDependencies } = manifest('packages/server/package.json')
    const search = manifest('packages/search/package.json')
    assert.deepEqual(bundleDependencies, ['worklore-search'])
    assert.equal(search.dependencies, undefined)
    assert.deepEqual(optionalDependencies, search.optionalDependencies)
  })

  it('names each dependency with its reason', () => {
    const reasons = readdirSync(join(root, 'docs/decisions'))
      .map((name) => read(`docs/decisions/${name}`))
      .join('\n')
    for (const { dependencies, optionalDependencies, devDependencies } of manifests) {
      for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies })) {
        assert.ok(reasons.includes(`\`${name}\``), `docs/decisions says nothing of ${name}`)
      }
    }
  })
})
