import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'

/**
 * Bundles the command line with the client: each command in a file of its own, loaded when it is run. CommonJS, because
 * starting Node's loader of ES modules takes longer than most commands.
 */
const dist = new URL('../', import.meta.url)
const folder = fileURLToPath(new URL('bundle/', dist))

const { output } = await build({
  write: false,
  input: fileURLToPath(new URL('src/main.js', dist)),
  platform: 'node',
  external: [/^node:/],
  resolve: { conditionNames: ['node', 'import', 'default'], mainFields: ['module', 'main'] },
  output: {
    dir: folder,
    format: 'cjs',
    minify: true,
    comments: false,
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
    codeSplitting: {
      groups: [{ name: 'shared', test: /dist\/src\/(?!commands\/|setup\/|sync\/|transfer\/(?!patient)|complete)/ }],
    },
  },
})

const licenses = ['jsonc-parser/LICENSE.md', 'smol-toml/LICENSE', 'yaml/LICENSE'].map((path) => {
  const text = readFileSync(new URL(`../../../node_modules/${path}`, dist), 'utf8')
  return `${path.split('/')[0]}\n\n${text.trim()}\n`
})

const files = new Map<string, string | Uint8Array>([
  ...output.map((file) => [file.fileName, 'code' in file ? file.code : file.source] as const),
  ['LICENSES.txt', `Part of this bundle:\n\n${licenses.join('\n')}`],
])
mkdirSync(folder, { recursive: true })
// What is in use stays as it is where nothing has changed.
for (const [name, content] of files) {
  const path = join(folder, name)
  const bytes = Buffer.from(content as string)
  if (existsSync(path) && readFileSync(path).equals(bytes)) continue
  writeFileSync(`${path}.new`, bytes)
  renameSync(`${path}.new`, path)
}
for (const name of readdirSync(folder)) if (!files.has(name)) rmSync(join(folder, name), { recursive: true })
