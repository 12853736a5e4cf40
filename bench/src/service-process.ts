import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export const adminKey = 'bench-admin-key-0123456789-abcdefghijklm'

export interface ServerProcess {
  pid: number
  port: number
  stop(): Promise<void>
}

interface ServiceSettings {
  dataDir: string
  databaseUrl: string | undefined
  /** A folder for the CPU profile that is written when the service stops. */
  profileDir?: string | undefined
  /** Further settings. */
  environment?: NodeJS.ProcessEnv
  /** Of another build; this one's if not said. */
  program?: string | undefined
}

const ownProgram = fileURLToPath(new URL('../../packages/server/bin/worklore.js', import.meta.url))
const startsWithinMs = 60_000
/** As the command `worklore` has them. */
const flags = ['--max-semi-space-size=8', '--v8-pool-size=1']
const memorySettings = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072' }

/** Starts the service as a user would: from its command line, with everything on. */
export const startService = async (settings: ServiceSettings): Promise<ServerProcess> => {
  const { dataDir, databaseUrl, profileDir, environment, program = ownProgram } = settings
  const profiling = profileDir === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDir}`]
  const child = spawn(process.execPath, [...flags, ...profiling, program, 'serve'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...memorySettings,
      PATH: process.env.PATH,
      HOST: '127.0.0.1',
      PORT: '0',
      WORKLORE_DATA: dataDir,
      WORKLORE_PLAN: 'self-hosted',
      WORKLORE_ADMIN_KEY: adminKey,
      LOG_LEVEL: 'warn',
      ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
      ...environment,
    },
  })
  let output = ''
  const port = await new Promise<number>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`the service did not start:\n${output}`)), startsWithinMs)
    child.once('exit', () => reject(new Error(`the service ended at its start:\n${output}`)))
    child.stdout.on('data', (chunk) => {
      output = (output + chunk).slice(-10_000)
      const found = / on http:\/\/[^\s]+:(\d+)/.exec(output)
      if (!found) return
      clearTimeout(timer)
      resolve(Number(found[1]))
    })
  })
  return {
    pid: child.pid!,
    port,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}
