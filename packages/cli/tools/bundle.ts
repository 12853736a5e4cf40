import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'

/**
 * Bundles the command line with the client: each command in a file of its own, loaded when it is run. CommonJS, because
 * starting Node's loader of ES modules takes longer than most commands.
 */
const dist = new URL('../', import.meta.url)
const folder = fileURLToPath(new URL('bundle/', dist))

rmSync(folder, { recursive: true, force: true })
await build({
  input: fileURLToPath(new URL('src/main.js', dist)),
  platform: 'node',
  external: [/^node:/],
  resolve: { conditionNames: ['node', 'import', 'default'] },
  output: {
    dir: folder,
    format: 'cjs',
    minify: true,
    comments: false,
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
    codeSplitting: {
      groups: [{ name: 'shared', test: /dist\/src\/(?!commands\/|transfer\/(?!patient)|complete)/ }],
    },
  },
})
