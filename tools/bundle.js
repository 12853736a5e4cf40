// Builds what needs the compiled packages: the search model, the bundles of the programs and the web console.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

const builders = [
  ['.', 'packages/search/dist/tools/build-model.js'],
  ['packages/server', 'tools/bundle.js'],
  ['packages/cli', 'dist/tools/bundle.js'],
  ['packages/github', 'dist/tools/bundle.js'],
  ['.', 'tools/build-console.js'],
]

for (const [folder, script] of builders) {
  const { status } = spawnSync(process.execPath, [script], { cwd: `${root}${folder}`, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
