import type { Engine } from './engines.js'
import { startService, type TestService, type TestTenant } from './harness.js'
import { createTestTenant } from './operator.js'

/** The service of one engine that the suites of this process share. */
interface SharedService {
  /** The suites that are still to end. */
  suites: number
  service: Promise<TestService> | undefined
}

const services = new Map<Engine, SharedService>()

/** What a suite that shares a service does around its tests. */
interface Share {
  /** A new tenant of the service, which the first suite starts. */
  join(): Promise<TestTenant>
  /** The last suite stops the service. */
  leave(): Promise<void>
}

/** Enters a suite, when it is described: a service stays until all suites that share it have ended. */
export const shareService = (engine: Engine): Share => {
  const shared = services.get(engine) ?? { suites: 0, service: undefined }
  services.set(engine, shared)
  shared.suites++
  return {
    join: async () => {
      shared.service ??= startService(engine)
      return createTestTenant(await shared.service)
    },
    leave: async () => {
      const service = await shared.service
      if (--shared.suites === 0) {
        shared.service = undefined
        await service?.stop()
      } else service?.checkStatements()
    },
  }
}
