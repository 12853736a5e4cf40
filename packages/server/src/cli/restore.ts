import { existsSync } from 'node:fs'
import { embeddedStore, expectWords, type RunCommand } from './command.js'
import { help } from './help.js'
import { restoreStore } from './restore/restore.js'

export const run: RunCommand = async (words) => {
  const isSure = words.includes('--yes')
  const [file] = expectWords(
    words.filter((word) => word !== '--yes'),
    help.restore,
    'FILE',
  ) as [string]
  const store = embeddedStore(
    'Restore it with: pg_restore --clean --if-exists --dbname="$DATABASE_URL" FILE, then: npx worklore after-restore --yes',
  )
  if (existsSync(store.path) && !isSure)
    throw new Error(`This replaces all data in ${store.path}. Add --yes to confirm.`)
  const { tenants, fromVersion, toVersion, keptPath } = await restoreStore(store, file)
  const migrated = fromVersion === toVersion ? '' : `, migrated from schema version ${fromVersion} to ${toVersion}`
  console.log(`Restored ${file} (${tenants} ${tenants === 1 ? 'tenant' : 'tenants'}${migrated}) to ${store.path}.`)
  if (keptPath)
    console.log(`The replaced database was kept as ${keptPath}. To go back: npx worklore restore ${keptPath} --yes`)
  console.log(
    'The event log was restarted: readers with an older position get 410 GONE and must read the records again.',
  )
  return 0
}
