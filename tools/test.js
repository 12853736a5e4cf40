// Compiles the packages and builds the embedding model, then runs the tests while the bundles are built.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const compiler = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url))
const { status } = spawnSync(process.execPath, [compiler, '-b'], { stdio: 'inherit' })
if (status !== 0) process.exit(status ?? 1)
process.argv.push('--bundle')
await import('../packages/search/dist/tools/build-model.js')
await import('../packages/testing/dist/src/run.js')
