import type { AddressInfo } from 'node:net'
import { createService } from './app.js'
import { readConfig } from './config.js'
import { createLogger } from './logger.js'

const graceMs = 10_000
/** npm passes one Ctrl-C on twice, so only a later signal is a second one. */
const secondSignalAfterMs = 1_000

const printWelcome = (address: string, secret: string | undefined): void => {
  const welcome = `Worklore listens on ${address}\nDocs:  ${address}/docs`
  const firstKey = `\n\nThis is the first start. Your admin key, shown only now:\n\n  ${secret}\n`
  // In one piece, so that no line of the log falls between.
  console.log(secret === undefined ? welcome : welcome + firstKey)
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
  const service = await createService(config, logger)
  await service.app.listen({ host: config.host, port: config.port, backlog: 2_048 })
  const { address, port, family } = service.app.server.address() as AddressInfo
  printWelcome(`http://${family === 'IPv6' ? `[${address}]` : address}:${port}`, service.firstStart.newSecret)

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
