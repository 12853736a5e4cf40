import { mkdir, rm, symlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

// npm bundles what it finds in a package's own node_modules, and the links of workspaces lie in the root's. A second
// link to the same place changes nothing for whoever imports it.
const [folder = '.'] = process.argv.slice(2)
const source = fileURLToPath(new URL('../..', import.meta.url))
const link = join(resolve(folder), 'node_modules', 'worklore-search')

await mkdir(dirname(link), { recursive: true })
await rm(link, { recursive: true, force: true })
await symlink(source, link, 'junction')
