import { randomBytes } from 'node:crypto'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { migrate } from 'worklore/dist/src/db/migrate.js'
import { openDb, type StoreSettings } from 'worklore/dist/src/db/open.js'
import { createCitusDatabase, dropCitusDatabase, isCitusRun } from './citus.js'
import { pooledUrl, poolerVariable } from './pooler.js'

export type { StoreSettings }

/** A real store of its own for one test, and how to take it away. */
export interface TestStore extends StoreSettings {
  remove(): Promise<void>
}

export interface Engine {
  name: 'sqlite' | 'postgres'
  /** An empty one, as at the first start. */
  createStore(): Promise<TestStore>
  /** One on which a service starts sooner: it has its tables already. */
  createPreparedStore(): Promise<TestStore>
  /** One with all that another has, which nobody may be using. */
  copyStore(store: TestStore): Promise<TestStore>
}

/** Lists the engines to test on, separated by spaces. If it is not set, all engines are tested. */
export const testEnginesVariable = 'WORKLORE_TEST_ENGINES'

/** If `true`, tests that reach the store only through the service run on all of these engines too. */
export const clientEnginesVariable = 'WORKLORE_TEST_CLIENT_ENGINES'

/** Names the folder that prepared stores are copies of; set by `prepareTemplates`. */
const templateVariable = 'WORKLORE_TEST_TEMPLATE'

const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), 'worklore-test-'))

const createSqliteStore = async (): Promise<TestStore> => {
  const dataDir = temporaryFolder()
  return {
    databaseUrl: undefined,
    dataDir,
    poolSize: 5,
    remove: async () => rmSync(dataDir, { recursive: true, force: true }),
  }
}

const copySqliteStore = async (folder: string): Promise<TestStore> => {
  const copy = await createSqliteStore()
  cpSync(folder, copy.dataDir, { recursive: true })
  return copy
}

const sqlite: Engine = {
  name: 'sqlite',
  createStore: createSqliteStore,
  createPreparedStore: () => {
    const folder = process.env[templateVariable]
    return folder === undefined ? createSqliteStore() : copySqliteStore(folder)
  },
  copyStore: ({ dataDir }) => copySqliteStore(dataDir),
}

const adminUrl = (): string => {
  const url = process.env.WORKLORE_TEST_POSTGRES
  if (!url) throw new Error('WORKLORE_TEST_POSTGRES is not set: run the tests with "npm test"')
  return url
}

const asAdmin = async (statement: string): Promise<void> => {
  const sql = postgres(adminUrl(), { max: 1, onnotice: () => {} })
  await sql.unsafe(statement)
  await sql.end()
}

const urlOf = (database: string): string => {
  const url = new URL(adminUrl())
  url.pathname = `/${database}`
  return url.href
}

/** The port of the pooler that the tests go through, if any. */
const pooler = process.env[poolerVariable]

const template = 'migrated'

const migrateTemplate = async (dataDir: string, databaseUrl?: string): Promise<void> => {
  const db = await openDb({ databaseUrl, dataDir, poolSize: 1 })
  await migrate(db)
  await db.close()
}

/** Makes the templates of prepared stores, once for a run, and returns a function that removes those outside the server. */
export const prepareTemplates = async (): Promise<() => void> => {
  const dataDir = temporaryFolder()
  await asAdmin(`create database ${template}`)
  await Promise.all([migrateTemplate(dataDir), migrateTemplate(dataDir, urlOf(template))])
  process.env[templateVariable] = dataDir
  return () => rmSync(dataDir, { recursive: true })
}

const createPostgresStore = async (options: string): Promise<TestStore> => {
  const name = `test_${randomBytes(8).toString('hex')}`
  await (isCitusRun ? createCitusDatabase(name) : asAdmin(`create database ${name} ${options}`))
  const dataDir = temporaryFolder()
  return {
    ...(pooler
      ? { databaseUrl: pooledUrl(pooler, urlOf(name)), listenUrl: urlOf(name) }
      : { databaseUrl: urlOf(name) }),
    dataDir,
    poolSize: 5,
    remove: async () => {
      await (isCitusRun ? dropCitusDatabase(name) : asAdmin(`drop database ${name} with (force)`))
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

const postgresEngine: Engine = {
  name: 'postgres',
  createStore: () => createPostgresStore(''),
  // Copies the files instead of logging every page of them.
  createPreparedStore: () => createPostgresStore(`template ${template} strategy file_copy`),
  copyStore: ({ databaseUrl }) => createPostgresStore(`template ${new URL(databaseUrl!).pathname.slice(1)}`),
}

const chosen = process.env[testEnginesVariable]?.split(' ')
const everyEngine: readonly Engine[] = isCitusRun || pooler ? [postgresEngine] : [sqlite, postgresEngine]

/** The engines that the tests of this process run on. */
export const engines: readonly Engine[] = everyEngine.filter(({ name }) => chosen?.includes(name) ?? true)

const isWithClients = process.env[clientEnginesVariable] === 'true'

/** Engines for tests that reach the store only through the service. In `npm test`, most of them run on one engine. */
export const enginesBehindService: readonly Engine[] = isWithClients ? engines : engines.slice(0, 1)
