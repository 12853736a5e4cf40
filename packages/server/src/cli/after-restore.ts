import { expectWords, type RunCommand, withRecords } from './command.js'
import { help } from './help.js'
import { afterRestore } from './restore/after-restore.js'

export const run: RunCommand = async (words) => {
  const isSure = words.includes('--yes')
  expectWords(
    words.filter((word) => word !== '--yes'),
    help['after-restore'],
  )
  if (!isSure) throw new Error('This empties the event log of every tenant. Add --yes to confirm.')
  const tenants = await withRecords((db) => afterRestore(db))
  console.log(
    `The event log of ${tenants} ${tenants === 1 ? 'tenant' : 'tenants'} was restarted more than 1,000,000,000 above its highest sequence. The service can be started now.`,
  )
  return 0
}
