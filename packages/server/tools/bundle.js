import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'

/**
 * Bundles the service with the packages it uses: a process reads and compiles a few files instead of 1,500, and starts in
 * half of the time. Packages with files of their own that are no JavaScript stay where they are.
 */
const pathOf = (relative) => fileURLToPath(new URL(relative, import.meta.url))
const folder = pathOf('../dist/bundle')

rmSync(folder, { recursive: true, force: true })
await build({
  input: { main: pathOf('../dist/src/cli/main.js'), worker: pathOf('../dist/src/search/worker.js') },
  platform: 'node',
  external: [/^node:/, /^@photostructure\/sqlite/, /^onnxruntime-node/, /^@fastify\/swagger-ui/, /^worklore-search/],
  output: { dir: folder, format: 'esm', comments: false, chunkFileNames: '[name].js' },
})
