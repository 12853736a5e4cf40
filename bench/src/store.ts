import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from 'worklore-testing/postgres-server'
import type { EngineName } from './options.js'
import { familyCpuMicroseconds } from './process-usage.js'

export interface BenchStore {
  dataDir: string
  databaseUrl: string | undefined
  /** Of the database server, where there is one. */
  pid?: number
  /** CPU time so far of the same. */
  cpu?: () => number
  remove(): Promise<void>
}

/** An empty store of the engine, in a folder of its own. */
export const createStore = async (engine: EngineName): Promise<BenchStore> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'worklore-bench-'))
  const removeFolder = () => rmSync(dataDir, { recursive: true, force: true })
  if (engine === 'sqlite') return { dataDir, databaseUrl: undefined, remove: async () => removeFolder() }
  const server = await startPostgres()
  return {
    dataDir,
    databaseUrl: server.url,
    pid: server.pid(),
    cpu: () => familyCpuMicroseconds(server.pid()),
    remove: async () => {
      await server.stop()
      removeFolder()
    },
  }
}
