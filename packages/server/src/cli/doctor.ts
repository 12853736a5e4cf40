import { systemClock } from '../base/clock.js'
import { isMigrated } from '../db/migrate.js'
import type { Db } from '../db/port.js'
import { hasCitus, listNodes, listTables, type TableKind } from '../db/postgres/citus.js'
import { operatorCall } from '../operations/call.js'
import { listTenants } from '../tenancy/tenants/service.js'
import { countWrongLinks } from '../work/knowledge/links/rebuild.js'
import { countWrongCounts } from '../work/tasks/structure/recount.js'
import { expectWords, type RunCommand, withNewStore } from './command.js'
import { help } from './help.js'

const kinds: Record<TableKind, string> = {
  reference: 'on every node',
  coordinator: 'on the coordinator',
  distributed: 'distributed by tenant',
  local: 'not distributed',
}

const citusLines = async (db: Db): Promise<{ lines: string[]; isGood: boolean }> => {
  const tables = await listTables(db)
  const lines = Object.entries(kinds).flatMap(([kind, about]) => {
    const names = tables.filter((table) => table.kind === kind).map(({ name }) => name)
    return names.length === 0 ? [] : [`${names.length} tables ${about}: ${names.join(', ')}`]
  })
  const nodes = (await listNodes(db)).map(
    ({ address, isActive, tenants, shards }) =>
      `node ${address}${isActive ? '' : ' (inactive)'}: ${shards} shards of tenants, ${tenants} tenants`,
  )
  const isGood = tables.every(({ kind }) => kind !== 'local')
  return { lines: [...lines, ...nodes, ...(isGood ? [] : ['Run "worklore distribute".'])], isGood }
}

/** Prints which derived data must be rebuilt, and returns true if there is none. */
const reportDerived = async (db: Db): Promise<boolean> => {
  let [links, counts] = [0, 0]
  for (const { id } of await listTenants(db)) {
    const call = operatorCall(db, systemClock, id)
    links += await countWrongLinks(call)
    counts += await countWrongCounts(call)
  }
  if (links > 0) console.log(`links: wrong for ${links} notes; stop the service and run "worklore rebuild links"`)
  if (counts > 0) console.log(`counts: wrong for ${counts} tasks; stop the service and run "worklore rebuild counts"`)
  return links + counts === 0
}

export const run: RunCommand = async (words) => {
  expectWords(words, help.doctor)
  return withNewStore(async (db) => {
    const isCurrent = await isMigrated(db).catch(() => false)
    console.log(`engine: ${db.dialect.name}`)
    console.log(`schema: ${isCurrent ? 'up to date' : 'not up to date; run "worklore migrate"'}`)
    const isDerivedGood = !isCurrent || (await reportDerived(db))
    if (db.dialect.name !== 'postgres' || !(await hasCitus(db))) return isCurrent && isDerivedGood ? 0 : 1
    const { lines, isGood } = await citusLines(db)
    console.log(['Citus:', ...lines.map((line) => `  ${line}`)].join('\n'))
    return isCurrent && isDerivedGood && isGood ? 0 : 1
  })
}
