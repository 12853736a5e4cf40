import type { Worklore } from 'worklore-client'
import type { Cli } from '../command.js'
import type { Progress } from '../terminal/progress.js'

/** Long work waits for limits to open again, and for a server that restarts. */
const patience = { maxRetries: 30, maxWaitMs: 3_700_000 }

/** Below this nobody wonders. */
const minNotedMs = 3_000

export const noteWait = (progress: Progress, { message }: Error, waitMs: number): void => {
  if (waitMs >= minNotedMs) progress.note(`Waiting ${Math.ceil(waitMs / 1_000)} s: ${message}`)
}

export const patientClient = (cli: Cli, progress: Progress, maxRetries = patience.maxRetries): Worklore =>
  cli.client({ ...patience, maxRetries, onRetry: ({ error, waitMs }) => noteWait(progress, error, waitMs) })
