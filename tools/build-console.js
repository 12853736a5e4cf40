// Builds the web console, unless what was built is newer than all that it is built from.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const console = join(root, 'packages/console')
const vite = join(root, 'node_modules/vite/bin/vite.js')

const sources = [
  'package-lock.json',
  'packages/client/dist/src',
  ...['index.html', 'package.json', 'public', 'src', 'vite.config.ts'].map((name) => join('packages/console', name)),
]

const newestIn = (path) => {
  const { mtimeMs } = statSync(path)
  if (!statSync(path).isDirectory()) return mtimeMs
  return Math.max(mtimeMs, ...readdirSync(path).map((name) => newestIn(join(path, name))))
}

const built = join(console, 'dist/app/index.html')
const isCurrent = () => Math.max(...sources.map((path) => newestIn(join(root, path)))) < statSync(built).mtimeMs

// Without Vite, as after `npm prune --omit=dev`, what was built is served.
if (existsSync(vite) && !(existsSync(built) && isCurrent())) {
  const { status } = spawnSync(process.execPath, [vite, 'build', '--logLevel', 'warn'], {
    cwd: console,
    stdio: 'inherit',
  })
  process.exit(status ?? 1)
}
