import { isServerFailure } from '../github/client.js'
import type { SyncContext } from './context.js'
import type { Refusal } from './report.js'

/** Reports a record that GitHub fails for. Throws any other error, and where GitHub fails for everything. */
export const reportFailure = async (
  { github, report }: SyncContext,
  record: Omit<Refusal, 'reason'>,
  error: unknown,
): Promise<void> => {
  if (!isServerFailure(error)) throw error
  await github.repository()
  report.refused({ ...record, reason: `GitHub failed: ${error.message} (${error.status})` })
}
