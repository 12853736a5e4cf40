// `npm start` serves what the sources say. Without TypeScript, as after `npm prune --omit=dev`, it serves what was built.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const compiler = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url))

const run = (...program) => {
  const { status } = spawnSync(process.execPath, program, { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

if (existsSync(compiler)) {
  run(compiler, '-b', 'packages/server', 'packages/client')
  run('packages/search/dist/tools/build-model.js')
  // Without its console the service is still of use.
  const { status } = spawnSync(process.execPath, ['tools/build-console.js'], { cwd: root, stdio: 'inherit' })
  if (status !== 0) console.error('The web console could not be built; the service starts without it.')
}
