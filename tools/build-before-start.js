// `npm start` serves what the sources say. Without TypeScript, as after `npm prune --omit=dev`, it serves what was built.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createBuildProgress } from './build-progress.js'
import { isConsoleCurrent } from './console-build.js'
import { newestIn } from './newest-in.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const at = (path) => join(root, path)

const compiler = at('node_modules/typescript/bin/tsc')
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

// What `npx wl` runs.
const cliBuilt = at('packages/cli/dist/bundle/main.cjs')
const cliSources = ['packages/cli/src', 'packages/cli/tools', 'packages/client/node', 'packages/client/src']
const isCliCurrent = () => existsSync(cliBuilt) && newestIn(cliSources.map(at)) < newestIn([cliBuilt])

const run = (...program) => spawnSync(process.execPath, program, { cwd: root, stdio: 'inherit' }).status ?? 1

const serviceSteps = [
  { about: 'Compiling the service', program: [compiler, '-b', 'packages/server', 'packages/client'] },
  { about: 'Preparing the model of the search', program: ['packages/search/dist/tools/build-model.js'] },
  { about: 'Bundling the service', program: ['packages/server/tools/bundle.js'] },
]

const cliSteps = [
  { about: 'Compiling wl', program: [compiler, '-b', 'packages/cli', 'packages/cli/tsconfig.tools.json'] },
  { about: 'Bundling wl', program: ['packages/cli/dist/tools/bundle.js'] },
]

if (existsSync(compiler)) {
  const steps = [...(isCurrent() ? [] : serviceSteps), ...(isCliCurrent() ? [] : cliSteps)]
  const progress = createBuildProgress(steps.length + 1, !existsSync(built))
  for (const { about, program } of steps) {
    progress.begin(about)
    const status = run(...program)
    if (status !== 0) process.exit(status)
  }
  if (!isConsoleCurrent()) {
    progress.begin('Building the web console')
    // Without its console the service is still of use.
    if (run('tools/build-console.js') !== 0) {
      console.error('The web console could not be built; the service starts without it.')
    }
  }
  progress.end()
}
