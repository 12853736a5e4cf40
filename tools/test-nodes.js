// Runs the contract tests, or the test files whose path contains one of the given words, under the newest releases of the
// supported Node versions after the oldest one.
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const majors = [22, 24]
const words = process.argv.length > 2 ? process.argv.slice(2) : ['server/dist/test/contract/']

const root = fileURLToPath(new URL('..', import.meta.url))
// The package "node" downloads one of these packages in its install script, which is disabled here.
const packageName = `node-linux-${process.arch}`
const cache = join(root, 'node_modules/.cache/worklore-nodes')

const npm = (...words) => {
  const { status, stdout } = spawnSync('npm', words, {
    cwd: cache,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (status !== 0) throw new Error(`npm ${words.join(' ')} failed`)
  return stdout
}

const compare = (a, b) => a.localeCompare(b, 'en', { numeric: true })

mkdirSync(cache, { recursive: true })
// Without this file, npm would install into a parent folder.
writeFileSync(join(cache, 'package.json'), '{ "private": true }')
const versions = JSON.parse(npm('view', packageName, 'versions', '--json'))

let isGood = true
for (const major of majors) {
  const newest = versions.filter((version) => /^\d+\.\d+\.\d+$/.test(version) && version.startsWith(`${major}.`))
  const version = newest.sort(compare).at(-1)
  const alias = `node-${major}`
  npm('install', '--ignore-scripts', '--no-audit', '--no-fund', `${alias}@npm:${packageName}@${version}`)
  const node = join(cache, 'node_modules', alias, 'bin/node')
  console.log(`Node ${version}`)
  const { status } = spawnSync(node, ['packages/testing/dist/src/run.js', ...words], {
    cwd: root,
    stdio: 'inherit',
  })
  if (status !== 0) isGood = false
}
process.exit(isGood ? 0 : 1)
