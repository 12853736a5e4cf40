import type { AddressInfo } from 'node:net'
import { createService, type Service } from './app.js'
import { type Config, readConfig, unknownSettings } from './config.js'
import { lockDataFolder } from './db/data-folder-lock.js'
import { createLogger } from './logger.js'
import type { FirstStart } from './tenants/first-start.js'

const graceMs = 10_000
/** npm passes one Ctrl-C on twice, so only a later signal is a second one. */
const secondSignalAfterMs = 1_000

const firstKey = ({ newSecret }: FirstStart): string =>
  newSecret === undefined ? '' : `\n\nThis is the first start. Your admin key, shown only now:\n\n  ${newSecret}\n`

const listen = async ({ app, firstStart, close }: Service, { host, port }: Config): Promise<void> => {
  try {
    await app.listen({ host, port, backlog: 2_048 })
  } catch (error) {
    // The key was made and is in the store, whatever becomes of this start.
    if (firstStart.newSecret !== undefined) console.log(firstKey(firstStart))
    await close()
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new Error(`Port ${port} of ${host} is taken. Stop what uses it, or set PORT to another one.`, {
      cause: error,
    })
  }
}

/**
 * npm starts the service through a shell, which a signal to npm ends without passing it on: then the service has
 * another parent, and that is its signal.
 */
const whenParentEnds = (stop: () => void): void => {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    stop()
  }, 250)
  timer.unref()
}

/** Reads the environment, serves until a signal, and stops without losing anything. */
export const serve = async (environment: NodeJS.ProcessEnv): Promise<void> => {
  const config = readConfig(environment)
  const logger = createLogger(config.logLevel, [config.adminKey, config.metricsToken, config.embeddingsKey])
  for (const name of unknownSettings(environment)) logger.warn(`${name} is no setting of the service: has it a typo?`)
  if (config.databaseUrl === undefined) await lockDataFolder(config.dataDir)
  const service = await createService(config, logger)
  await listen(service, config)
  const { address, port, family } = service.app.server.address() as AddressInfo
  const url = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
  // In one piece, so that no line of the log falls between.
  console.log(`Worklore listens on ${url}\nDocs:  ${url}/docs${firstKey(service.firstStart)}`)

  let stoppingSince: number | undefined
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince >= secondSignalAfterMs) process.exit(1)
      return
    }
    stoppingSince = performance.now()
    logger.info({ signal }, 'stopping')
    setTimeout(() => service.app.server.closeAllConnections(), graceMs).unref()
    await service.close()
    logger.info('stopped')
    process.exit(0)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  if (environment.npm_lifecycle_event !== undefined) whenParentEnds(() => void stop('SIGTERM'))
}
