import type { AddressInfo } from 'node:net'
import { createService, type Service } from './app.js'
import { browserUrl } from './base/browser-url.js'
import { type Config, readConfig, unknownSettings } from './config.js'
import { lockDataFolder } from './db/data-folder-lock.js'
import { expectBindable, listenError } from './http/listen-check.js'
import { type HeldOutput, holdOutput } from './observability/held-output.js'
import { createLogger, standardError } from './observability/logger.js'
import { operatorCall } from './operations/call.js'
import { issueLink } from './tenancy/keys/sessions/links.js'
import { banner } from './tenancy/tenants/banner.js'

const graceMs = 10_000
/** npm passes one Ctrl-C on twice, so only a later signal is a second one. */
const secondSignalAfterMs = 1_000

const urlOf = ({ address, port, family }: AddressInfo): string =>
  `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`

const listen = async ({ app, core, firstStart, close }: Service, config: Config): Promise<void> => {
  try {
    await app.listen({ host: config.host, port: config.port, backlog: 2_048 })
  } catch (error) {
    // Another process took the port since it was checked; the key was made and is in the store all the same.
    if (firstStart.newSecret !== undefined) console.log(banner({ url: undefined, firstStart, plans: core.plans }))
    await close()
    throw listenError(config, error)
  }
}

/** On a first start with a link that signs in; undefined where the console is not built. */
const consoleUrlOf = async (
  { core, firstStart: { created }, hasConsole }: Service,
  config: Config,
  port: number,
): Promise<string | undefined> => {
  if (!hasConsole) return undefined
  if (!created) return browserUrl(config, port, '/console/')
  const { path } = await issueLink(operatorCall(core.db, core.clock, created.tenantId), created.keyId)
  return browserUrl(config, port, path)
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

const start = async (environment: NodeJS.ProcessEnv, config: Config, output: HeldOutput): Promise<void> => {
  const { adminKey, metricsToken, embeddingsKey, secretKey } = config
  const secrets = [adminKey, metricsToken, embeddingsKey, ...(secretKey?.split(',') ?? [])]
  const logger = createLogger(config.logLevel, secrets, output)
  for (const name of unknownSettings(environment)) logger.warn(`${name}: unknown setting; check for a typo`)
  // Before the first start makes an admin key, which is shown only once.
  await expectBindable(config)
  const unlock = config.databaseUrl === undefined ? await lockDataFolder(config.dataDir) : () => {}
  const service = await createService(config, logger)
  let stoppingSince: number | undefined
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince >= secondSignalAfterMs) process.exit(1)
      return
    }
    stoppingSince = performance.now()
    output.release()
    logger.info({ signal }, 'stopping')
    setTimeout(() => service.app.server.closeAllConnections(), graceMs).unref()
    await service.close()
    unlock()
    logger.info('stopped')
    process.exit(0)
  }
  // Before anyone can know that it runs: whoever reads the banner may stop it at once.
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  if (environment.npm_lifecycle_event !== undefined) whenParentEnds(() => void stop('SIGTERM'))

  await listen(service, config)
  const address = service.app.server.address() as AddressInfo
  const { firstStart, core } = service
  const consoleUrl = await consoleUrlOf(service, config, address.port)
  console.log(banner({ url: urlOf(address), firstStart, plans: core.plans, consoleUrl }))
}

/** Reads the environment, serves until a signal, and stops without losing anything. */
export const serve = async (environment: NodeJS.ProcessEnv): Promise<void> => {
  const config = readConfig(environment)
  const output = holdOutput(standardError())
  try {
    await start(environment, config, output)
  } finally {
    output.release()
  }
}
