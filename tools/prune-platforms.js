// Removes from the installed packages what only other platforms run, and the C sources of SQLite: npm installs a package whole.
// For images and other copies that stay on one platform; `npm ci` brings everything back.
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const packages = fileURLToPath(new URL('../node_modules', import.meta.url))
const { platform, arch } = process

const keepOnly = (folder, kept) => {
  // Without a binary for this platform, or without the package, there is nothing to choose from.
  if (!existsSync(join(packages, folder, kept))) return
  for (const name of readdirSync(join(packages, folder)))
    if (name !== kept) rmSync(join(packages, folder, name), { recursive: true })
}

keepOnly('onnxruntime-node/bin/napi-v3', platform)
keepOnly(`onnxruntime-node/bin/napi-v3/${platform}`, arch)
keepOnly('@photostructure/sqlite/prebuilds', `${platform}-${arch}`)
rmSync(join(packages, '@photostructure/sqlite/src'), { recursive: true, force: true })
