import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import type { StoreSettings } from '../src/db/open.js'

/** A real store of its own for one test, and how to take it away. */
export interface TestStore extends StoreSettings {
  remove(): Promise<void>
}

export interface Engine {
  name: 'sqlite' | 'postgres'
  createStore(): Promise<TestStore>
}

const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), 'worklore-test-'))

const sqlite: Engine = {
  name: 'sqlite',
  createStore: async () => {
    const dataDir = temporaryFolder()
    return {
      databaseUrl: undefined,
      dataDir,
      poolSize: 5,
      remove: async () => rmSync(dataDir, { recursive: true, force: true }),
    }
  },
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

const postgresEngine: Engine = {
  name: 'postgres',
  createStore: async () => {
    const name = `test_${randomBytes(8).toString('hex')}`
    await asAdmin(`create database ${name}`)
    const url = new URL(adminUrl())
    url.pathname = `/${name}`
    const dataDir = temporaryFolder()
    return {
      databaseUrl: url.href,
      dataDir,
      poolSize: 5,
      remove: async () => {
        await asAdmin(`drop database ${name} with (force)`)
        rmSync(dataDir, { recursive: true, force: true })
      },
    }
  },
}

export const engines: readonly Engine[] = [sqlite, postgresEngine]
