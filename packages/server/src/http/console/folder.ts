import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { packageFolder } from '../../config.js'

const pathOf = (relative: string): string => fileURLToPath(new URL(relative, packageFolder))

const isOwnPackage = (manifest: string): boolean =>
  existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).name === 'worklore-console'

/** Where the built web console is: in the published package, or next to this package in the repository. */
export const builtConsoleFolder = (): string | undefined => {
  const packed = pathOf('console')
  const built = pathOf('../console/dist/app')
  if (isOwnPackage(pathOf('../console/package.json'))) return existsSync(`${built}/index.html`) ? built : undefined
  return existsSync(`${packed}/index.html`) ? packed : undefined
}
