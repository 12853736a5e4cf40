// Builds the web console, unless what was built is current.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isConsoleCurrent } from './console-build.js'

const pathOf = (relative) => fileURLToPath(new URL(relative, import.meta.url))
const vite = pathOf('../node_modules/vite/bin/vite.js')

// Without Vite, as after `npm prune --omit=dev`, what was built is served.
if (existsSync(vite) && !isConsoleCurrent()) {
  const { status } = spawnSync(process.execPath, [vite, 'build', '--logLevel', 'warn'], {
    cwd: pathOf('../packages/console'),
    stdio: 'inherit',
  })
  process.exit(status ?? 1)
}
