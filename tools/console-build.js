import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { newestIn } from './newest-in.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const consoleFolder = join(root, 'packages/console')
const built = join(consoleFolder, 'dist/app/index.html')

const sources = [
  join(root, 'package-lock.json'),
  join(root, 'packages/client/dist/src'),
  ...['index.html', 'package.json', 'public', 'src', 'vite.config.ts'].map((name) => join(consoleFolder, name)),
]

/** What was built of the web console is newer than all that it is built from. */
export const isConsoleCurrent = () => existsSync(built) && newestIn(sources) < newestIn([built])
