import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startPostgres } from './postgres-server.js'

/** Runs every test file, or those whose path contains one of the words given, against one PostgreSQL server. */
const packages = fileURLToPath(new URL('../../..', import.meta.url))
const words = process.argv.slice(2)

const files = readdirSync(packages)
  .map((name) => join(packages, name, 'dist'))
  .filter((folder) => existsSync(folder))
  .flatMap((folder) => (readdirSync(folder, { recursive: true }) as string[]).map((file) => join(folder, file)))
  .filter((file) => file.endsWith('.test.js'))
  .filter((file) => words.length === 0 || words.some((word) => file.slice(packages.length).includes(word)))
  .sort()

const postgres = await startPostgres()
const runner = spawn(
  process.execPath,
  [
    '--enable-source-maps',
    '--test',
    '--test-reporter=spec',
    '--test-timeout=300000',
    `--test-concurrency=${Math.max(2, cpus().length)}`,
    ...files,
  ],
  { stdio: 'inherit', env: { ...process.env, WORKLORE_TEST_POSTGRES: postgres.url } },
)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => runner.kill(signal))
runner.on('exit', async (code) => {
  await postgres.stop()
  process.exit(code ?? 1)
})
