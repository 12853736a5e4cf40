// `npm start` serves what the sources say. Without TypeScript, as after `npm prune --omit=dev`, it serves what was built.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isConsoleCurrent } from './console-build.js'
import { newestIn } from './newest-in.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const at = (path) => join(root, path)

const built = at('packages/server/dist/main.js')
const sources = [
  'package-lock.json',
  'packages/client/src',
  'packages/search/src',
  'packages/search/tools',
  'packages/server/src',
  'packages/server/tools',
]
const isCurrent = () => existsSync(built) && newestIn(sources.map(at)) < newestIn([built])

const run = (...program) => spawnSync(process.execPath, program, { cwd: root, stdio: 'inherit' }).status ?? 1

const runOrExit = (...program) => {
  const status = run(...program)
  if (status !== 0) process.exit(status)
}

const compiler = at('node_modules/typescript/bin/tsc')
if (existsSync(compiler)) {
  if (!isCurrent()) {
    runOrExit(compiler, '-b', 'packages/server', 'packages/client')
    runOrExit('packages/search/dist/tools/build-model.js')
    runOrExit('packages/server/tools/bundle.js')
  }
  // Without its console the service is still of use.
  if (!isConsoleCurrent() && run('tools/build-console.js') !== 0) {
    console.error('The web console could not be built; the service starts without it.')
  }
}
