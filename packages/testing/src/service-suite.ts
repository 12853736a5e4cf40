import { after, before, describe } from 'node:test'
import { type Engine, engines, enginesBehindService } from './engines.js'
import { type HarnessOptions, startService, type TestService, type TestTenant } from './harness.js'
import { keepStatementsOf } from './kept-statements.js'
import { shareService } from './shared-service.js'

type ServiceTests = (wl: TestService, engine: Engine) => void

const describeServiceOn = (
  engines: readonly Engine[],
  subject: string,
  tests: ServiceTests,
  options: HarnessOptions = {},
): void => {
  for (const engine of engines) {
    const suite = `${subject} on ${engine.name}`
    describe(suite, () => {
      const wl = {} as TestService
      before(async () => {
        keepStatementsOf(suite)
        Object.assign(wl, await startService(engine, options))
      })
      after(() => wl.stop())
      tests(wl, engine)
    })
  }
}

/** The same tests against a service of their own on every engine; `wl` is filled before the first of them runs. */
export const describeService = (subject: string, tests: ServiceTests, options?: HarnessOptions): void =>
  describeServiceOn(engines, subject, tests, options)

/** The same for what knows the store only through the service, such as MCP or a program. */
export const describeClientService = (subject: string, tests: ServiceTests, options?: HarnessOptions): void =>
  describeServiceOn(enginesBehindService, subject, tests, options)

type TenantTests = (wl: TestTenant, engine: Engine) => void

const describeTenantOn = (engines: readonly Engine[], subject: string, tests: TenantTests): void => {
  for (const engine of engines) {
    const { join, leave } = shareService(engine)
    const suite = `${subject} on ${engine.name}`
    describe(suite, () => {
      const wl = {} as TestTenant
      before(async () => {
        keepStatementsOf(suite)
        Object.assign(wl, await join())
      })
      after(leave)
      tests(wl, engine)
    })
  }
}

/** The same tests for a tenant of their own on every engine, in a service that other suites use as well. */
export const describeTenant = (subject: string, tests: TenantTests): void => describeTenantOn(engines, subject, tests)

/** The same for what knows the store only through the service, such as MCP or a program. */
export const describeClient = (subject: string, tests: TenantTests): void =>
  describeTenantOn(enginesBehindService, subject, tests)
