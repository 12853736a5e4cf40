import cluster, { type Worker } from 'node:cluster'
import { readConfig } from '../config.js'
import type { ProcessMember } from '../main.js'
import { expectWords, type RunCommand } from './command.js'
import { createExchange } from './serve/exchange.js'
import { processCountOf, supervise } from './serve/supervisor.js'

/** More than the supervisor waits for the figures of each process. */
const maxFiguresWaitMs = 4_000

const memberOf = (worker: Worker): ProcessMember => ({
  isFirst: worker.id === 1,
  shareFigures: (own) => {
    const askAll = createExchange(worker, maxFiguresWaitMs, own)
    return async () => (await askAll()) ?? own()
  },
})

export const run: RunCommand = async (words) => {
  expectWords(words, 'Usage: worklore serve\n\nSettings are environment variables: "worklore serve --help" lists them.')
  const { env } = process
  const config = readConfig(env)
  if (cluster.isPrimary && processCountOf(config) > 1) {
    await supervise(config, env.npm_lifecycle_event !== undefined)
    return 0
  }
  // Not loaded by a supervisor, which needs a tenth of the memory without it.
  const { serve } = await import('../main.js')
  await serve(env, cluster.worker && memberOf(cluster.worker))
  return 0
}
