import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const fileOf = (dataDir: string): string => join(dataDir, 'serving.port')

/** Records the port of the service that uses a data folder, for commands that run beside it with other settings. */
export const noteServedPort = (dataDir: string, port: number): void => writeFileSync(fileOf(dataDir), `${port}\n`)

export const forgetServedPort = (dataDir: string): void => rmSync(fileOf(dataDir), { force: true })

/** Returns undefined if no service has recorded its port. After a crash, the port is that of the crashed service. */
export const servedPortOf = (dataDir: string): number | undefined => {
  try {
    return Number(readFileSync(fileOf(dataDir), 'utf8')) || undefined
  } catch {
    return undefined
  }
}
