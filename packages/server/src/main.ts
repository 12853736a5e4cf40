import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { createService, type Service, type ShareFigures } from './app.js'
import { browserUrl, isLoopback } from './base/listen-host.js'
import { onStopSignals } from './base/stop-signals.js'
import { type Config, oidcIssuersOf, readConfig, unknownSettings } from './config.js'
import { lockDataFolder } from './db/data-folder-lock.js'
import { forgetServedPort, noteServedPort } from './db/served-port.js'
import { expectBindable, listenError } from './http/listen-check.js'
import { type HeldOutput, holdOutput } from './observability/held-output.js'
import { createLogger, standardError } from './observability/logger.js'
import { operatorCall } from './operations/call.js'
import { issueLink } from './tenancy/keys/sessions/links.js'
import { banner } from './tenancy/tenants/banner.js'

const graceMs = 10_000
/** Where others call: a proxy needs that long to see that the node is not ready. */
const defaultDrainSeconds = 5

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

const drainMsOf = ({ host, drainSeconds }: Config): number =>
  (drainSeconds ?? (isLoopback(host) ? 0 : defaultDrainSeconds)) * 1_000

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

/** What differs where several processes serve behind one port. */
export interface ProcessMember {
  /** Whether none was started before: it alone shows the banner. */
  isFirst: boolean
  /** From the figures of this process those of all. */
  shareFigures: ShareFigures
}

const start = async (
  environment: NodeJS.ProcessEnv,
  config: Config,
  output: HeldOutput,
  member: ProcessMember | undefined,
): Promise<void> => {
  const { adminKey, metricsToken, embeddingsKey, secretKey } = config
  const clientSecrets = oidcIssuersOf(config).map(({ clientSecret }) => clientSecret)
  const secrets = [adminKey, metricsToken, embeddingsKey, ...(secretKey?.split(',') ?? []), ...clientSecrets]
  const ownLogger = createLogger(config.logLevel, secrets, output)
  const logger = member ? ownLogger.child({ pid: process.pid }) : ownLogger
  const isFirst = member?.isFirst ?? true
  if (isFirst) {
    for (const name of unknownSettings(environment)) logger.warn(`${name}: unknown setting; check for a typo`)
  }
  // Before the first start makes an admin key, which is shown only once. A supervisor has looked already.
  if (!member) await expectBindable(config)
  const unlock = config.databaseUrl === undefined ? await lockDataFolder(config.dataDir) : () => {}
  const service = await createService(config, logger, { shareFigures: member?.shareFigures })
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    output.release()
    logger.info({ signal }, 'stopping')
    service.drain()
    // A person at the terminal does not wait.
    if (signal === 'SIGTERM') await pause(drainMsOf(config))
    setTimeout(() => service.app.server.closeAllConnections(), graceMs).unref()
    await service.close()
    if (config.databaseUrl === undefined) forgetServedPort(config.dataDir)
    unlock()
    logger.info('stopped')
    process.exit(0)
  }
  // Before anyone can know that it runs: whoever reads the banner may stop it at once.
  onStopSignals({
    stop,
    stopAtOnce: () => process.exit(1),
    isOfNpm: !member && environment.npm_lifecycle_event !== undefined,
  })

  await listen(service, config)
  if (!isFirst) return
  const address = service.app.server.address() as AddressInfo
  if (config.databaseUrl === undefined) noteServedPort(config.dataDir, address.port)
  const { firstStart, core } = service
  const consoleUrl = await consoleUrlOf(service, config, address.port)
  // Print the log so far before the key and the link.
  output.release()
  console.log(banner({ url: urlOf(address), firstStart, plans: core.plans, consoleUrl }))
}

/** Reads the environment, serves until a signal, and stops without losing anything. */
export const serve = async (environment: NodeJS.ProcessEnv, member?: ProcessMember): Promise<void> => {
  const config = readConfig(environment)
  const output = holdOutput(standardError())
  try {
    await start(environment, config, output, member)
  } finally {
    output.release()
  }
}
