import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { freePort } from './postgres-server.js'
import { unprivilegedUser } from './unprivileged.js'
import { until } from './until.js'

/** The program that `PGBOUNCER` names, or the system's. */
export const findPgbouncer = (): string | undefined => {
  const folders = ['/usr/sbin', ...(process.env.PATH ?? '').split(delimiter)]
  return [process.env.PGBOUNCER ?? '', ...folders.map((folder) => join(folder, 'pgbouncer'))].find(existsSync)
}

interface Pooler {
  port: string
  stop(): Promise<void>
}

/** Names the port of the pooler that a run goes through. */
export const poolerVariable = 'WORKLORE_TEST_POOLER'

/** The address of a database by way of a pooler. */
export const pooledUrl = (port: string, databaseUrl: string): string => {
  const url = new URL(databaseUrl)
  url.port = port
  return url.href
}

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })

/** pgbouncer in transaction mode, with few connections, so that clients meet each other's. */
export const startPgbouncer = async (program: string, serverPort: number): Promise<Pooler> => {
  const folder = mkdtempSync(join(tmpdir(), 'worklore-pooler-'))
  const port = await freePort()
  const settings = join(folder, 'pgbouncer.ini')
  writeFileSync(join(folder, 'users.txt'), '"worklore" ""\n', { mode: 0o644 })
  writeFileSync(
    settings,
    [
      ...['[databases]', `* = host=127.0.0.1 port=${serverPort}`],
      ...['[pgbouncer]', 'listen_addr = 127.0.0.1', `listen_port = ${port}`, 'unix_socket_dir ='],
      ...['auth_type = trust', `auth_file = ${join(folder, 'users.txt')}`],
      ...['pool_mode = transaction', 'default_pool_size = 4', 'max_client_conn = 2000', 'server_idle_timeout = 5'],
    ].join('\n'),
    { mode: 0o644 },
  )
  const owner = unprivilegedUser()
  chmodSync(folder, 0o755)
  const child = spawn(program, ['--quiet', settings], { ...owner, stdio: ['ignore', 'ignore', 'pipe'] })
  let log = ''
  child.stderr.on('data', (chunk) => {
    log += chunk
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const isUp = await until(
    () => accepts(port),
    (is) => is || child.exitCode !== null,
  )
  if (!isUp) throw new Error(`pgbouncer did not start: ${log}`)
  return {
    port: String(port),
    stop: async () => {
      child.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
