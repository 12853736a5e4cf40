import { isMigrated } from '../db/migrate.js'
import type { Db } from '../db/port.js'
import { hasCitus, listNodes, listTables, type TableKind } from '../db/postgres/citus.js'
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

export const run: RunCommand = async (words) => {
  expectWords(words, help.doctor)
  return withNewStore(async (db) => {
    const isCurrent = await isMigrated(db).catch(() => false)
    console.log(`engine: ${db.dialect.name}`)
    console.log(`schema: ${isCurrent ? 'up to date' : 'not up to date; run "worklore migrate"'}`)
    if (db.dialect.name !== 'postgres' || !(await hasCitus(db))) return isCurrent ? 0 : 1
    const { lines, isGood } = await citusLines(db)
    console.log(['Citus:', ...lines.map((line) => `  ${line}`)].join('\n'))
    return isCurrent && isGood ? 0 : 1
  })
}
