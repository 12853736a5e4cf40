import { cpSync, existsSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const pathOf = (relative) => fileURLToPath(new URL(relative, import.meta.url))

/** Puts the built web console into the package, for npm to pack. */
const target = pathOf('../console')
const built = pathOf('../../console/dist/app')
rmSync(target, { recursive: true, force: true })
if (existsSync(pathOf('../../console/package.json'))) {
  if (!existsSync(`${built}/index.html`)) throw new Error('The web console is not built. Run "npm run build" first.')
  cpSync(built, target, { recursive: true })
}
