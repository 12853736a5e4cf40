import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'

/** Bundles the command line: each command in a file of its own, loaded when it is run, and small to install. */
const dist = new URL('../', import.meta.url)
const folder = fileURLToPath(new URL('bundle/', dist))

rmSync(folder, { recursive: true, force: true })
await build({
  input: fileURLToPath(new URL('src/main.js', dist)),
  platform: 'node',
  external: [/^node:/, /^worklore-client/],
  output: {
    dir: folder,
    format: 'esm',
    minify: true,
    comments: false,
    chunkFileNames: '[name].js',
    codeSplitting: {
      groups: [{ name: 'shared', test: /dist\/src\/(?!commands\/|transfer\/(?!layout|patient)|complete)/ }],
    },
  },
})
