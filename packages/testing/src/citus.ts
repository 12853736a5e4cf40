import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { type PostgresBuild, type PostgresServer, startPostgres } from './postgres-server.js'

/** The administrator's address on each node, the coordinator first. */
export const nodesVariable = 'WORKLORE_TEST_CITUS'
const nodeUrls = (): string[] => process.env[nodesVariable]?.split(' ') ?? []

export const isCitusRun = nodeUrls().length > 0

/** Few, since every test has tables of its own. */
const shardCount = 4
const workers = 2

const foldersIn = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []

/** A folder with PostgreSQL's programs, or one that Debian's packages were unpacked to and Citus was built in. */
export const findCitusBuild = (named = process.env.CITUS): PostgresBuild | undefined => {
  if (!named) return undefined
  const unpacked = join(named, 'root/usr/lib')
  const folders = [
    named,
    join(named, 'bin'),
    ...foldersIn(join(unpacked, 'postgresql')).map((each) => join(each, 'bin')),
  ]
  const binFolder = folders.find((folder) => existsSync(join(folder, 'initdb')))
  if (binFolder === undefined) return undefined
  const libraries = foldersIn(unpacked).filter((folder) => folder.endsWith('-linux-gnu'))
  const LD_LIBRARY_PATH = [...libraries, process.env.LD_LIBRARY_PATH].filter(Boolean).join(':')
  return { binFolder, env: { ...process.env, ...(LD_LIBRARY_PATH && { LD_LIBRARY_PATH }) } }
}

const settings = [
  'shared_preload_libraries=citus',
  'wal_level=logical',
  'max_prepared_transactions=300',
  'max_worker_processes=40',
  'citus.node_conninfo=sslmode=prefer',
]

export interface CitusCluster {
  /** Of the coordinator. */
  url: string
  /** The administrator's address on each node, the coordinator first. */
  urls: readonly string[]
  coordinator: PostgresServer
  workers: readonly PostgresServer[]
  stop(): Promise<void>
}

/** A coordinator and two workers on loopback. */
export const startCluster = async (build: PostgresBuild, isDurable = false): Promise<CitusCluster> => {
  const nodes = await Promise.all(
    Array.from({ length: 1 + workers }, () => startPostgres({ isDurable, build, settings })),
  )
  return {
    url: nodes[0]!.url,
    urls: nodes.map(({ url }) => url),
    coordinator: nodes[0]!,
    workers: nodes.slice(1),
    stop: async () => {
      await Promise.all(nodes.map((node) => node.stop()))
    },
  }
}

const on = async (url: string, database: string, ...statements: string[]): Promise<void> => {
  const address = new URL(url)
  address.pathname = `/${database}`
  const sql = postgres(address.href, { max: 1, onnotice: () => {} })
  for (const statement of statements) await sql.unsafe(statement)
  await sql.end()
}

/** Lets the coordinator spread the tables of a database over the nodes. */
export const addCitus = async (name: string, urls: readonly string[] = nodeUrls()): Promise<void> => {
  for (const url of urls) await on(url, name, 'create extension citus')
  const [coordinator, ...others] = urls.map((url) => new URL(url))
  await on(
    coordinator!.href,
    name,
    `select citus_set_coordinator_host('127.0.0.1', ${coordinator!.port})`,
    ...others.map(({ port }) => `select citus_add_node('127.0.0.1', ${port})`),
  )
}

/** The same database on every node. */
export const createDatabases = async (name: string, urls: readonly string[] = nodeUrls()): Promise<void> => {
  const setting = `alter database ${name} set citus.shard_count = ${shardCount}`
  for (const url of urls) await on(url, 'postgres', `create database ${name}`, setting)
}

export const createCitusDatabase = async (name: string, urls: readonly string[] = nodeUrls()): Promise<void> => {
  await createDatabases(name, urls)
  await addCitus(name, urls)
}

export const dropCitusDatabase = async (name: string): Promise<void> => {
  for (const url of nodeUrls()) await on(url, 'postgres', `drop database ${name} with (force)`)
}
