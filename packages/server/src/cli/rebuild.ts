import { systemClock } from '../base/clock.js'
import type { Db } from '../db/port.js'
import { operatorCall } from '../operations/call.js'
import { restartSearch } from '../subscribers/search/after-restore.js'
import { listTenants } from '../tenancy/tenants/service.js'
import { rebuildLinks } from '../work/knowledge/links/rebuild.js'
import { rebuildCounts } from '../work/tasks/structure/recount.js'
import { expectWords, type RunCommand, withRecords } from './command.js'
import { help } from './help.js'

/** Functions that rebuild derived data of a tenant and return a summary. */
const rebuilders: Readonly<Record<string, (db: Db, tenantId: string) => Promise<string>>> = {
  search: async (db, tenantId) => {
    await db.transaction((tx) => restartSearch(tx, tenantId))
    return 'search index discarded'
  },
  links: async (db, tenantId) =>
    `links of ${await rebuildLinks(operatorCall(db, systemClock, tenantId))} notes corrected`,
  counts: async (db, tenantId) =>
    `counts of ${await rebuildCounts(operatorCall(db, systemClock, tenantId))} tasks corrected`,
}

export const run: RunCommand = async (words) => {
  const [part] = words
  if (part !== undefined && !Object.hasOwn(rebuilders, part)) throw new Error(help.rebuild)
  if (words.length > 1) expectWords(words, help.rebuild)
  const parts = part === undefined ? Object.keys(rebuilders) : [part]
  await withRecords(async (db) => {
    for (const { id, name } of await listTenants(db)) {
      const done: string[] = []
      for (const each of parts) done.push(await rebuilders[each]!(db, id))
      console.log(`${name}: ${done.join(', ')}`)
    }
  })
  return 0
}
