import type { StoreSettings } from 'worklore/dist/src/db/open.js'
import { testAdminKey } from './harness.js'
import { environmentOf, startServing } from './program.js'

/** The service as it runs in production: a process of its own. */
export interface RealProcess {
  baseUrl: string
  pid: number
  /** What it has written to both outputs. */
  output(): string
  /** Sends a signal and waits for the end; answers the exit code, or null where the signal ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

export const startProcess = async (
  store: StoreSettings,
  environment: Record<string, string> = {},
  path?: string,
): Promise<RealProcess> => {
  const settings = {
    ...environmentOf(store),
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: 'error',
    WORKLORE_ADMIN_KEY: testAdminKey,
    WORKLORE_PLAN: 'self-hosted',
    ...environment,
  }
  const { child, outcome, ended, baseUrl } = await startServing(settings, path)
  return {
    baseUrl,
    pid: child.pid!,
    output: () => outcome.stdout + outcome.stderr,
    end: async (signal) => {
      child.kill(signal)
      return (await ended).code
    },
  }
}
