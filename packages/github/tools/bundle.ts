import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'

/** Bundles the bridge with the client and Octokit into one file, so that it installs without dependencies. */
const dist = new URL('../', import.meta.url)
const folder = fileURLToPath(new URL('bundle/', dist))

const { output } = await build({
  write: false,
  input: fileURLToPath(new URL('src/main.js', dist)),
  platform: 'node',
  external: [/^node:/],
  resolve: { conditionNames: ['node', 'import', 'default'] },
  output: { dir: folder, format: 'cjs', minify: true, comments: false, entryFileNames: '[name].cjs' },
})

mkdirSync(folder, { recursive: true })
// What is in use stays as it is where nothing has changed.
for (const file of output) {
  const path = join(folder, file.fileName)
  const bytes = Buffer.from(('code' in file ? file.code : file.source) as string)
  if (existsSync(path) && readFileSync(path).equals(bytes)) continue
  writeFileSync(`${path}.new`, bytes)
  renameSync(`${path}.new`, path)
}
