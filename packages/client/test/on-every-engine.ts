import { after, before, describe } from 'node:test'
import { enginesBehindService } from 'worklore-testing/engines'
import { type HarnessOptions, startService, type TestService } from 'worklore-testing/harness'
import { Worklore, type WorkloreOptions } from '../src/index.js'
import { type FaultProxy, type FaultProxyOptions, startFaultProxy } from './fault-proxy.js'

export interface Stage {
  service: TestService
  /** Between the client and the service. */
  proxy: FaultProxy
  /** A client of the service, behind the proxy. */
  wl: Worklore
  clientWith(options: Partial<WorkloreOptions>): Worklore
}

/** Runs the tests with the real service behind a proxy, on SQLite, in the long run on each engine; the stage is set before the first of them. */
export const onEveryEngine = (
  subject: string,
  tests: (stage: Stage) => void,
  options: HarnessOptions & FaultProxyOptions = {},
): void => {
  for (const engine of enginesBehindService) {
    describe(`${subject} on ${engine.name}`, () => {
      const stage = {} as Stage
      before(async () => {
        const service = await startService(engine, options)
        const proxy = await startFaultProxy(service.baseUrl, options)
        const clientWith = (more: Partial<WorkloreOptions>): Worklore =>
          new Worklore({ baseUrl: proxy.url, apiKey: service.adminKey, ...more })
        Object.assign(stage, { service, proxy, clientWith, wl: clientWith({}) })
      })
      after(async () => {
        await stage.proxy.stop()
        await stage.service.stop()
      })
      tests(stage)
    })
  }
}
