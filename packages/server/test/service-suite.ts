import { after, before, describe } from 'node:test'
import { type Engine, engines } from './engines.js'
import { type HarnessOptions, startService, type TestService } from './harness.js'

/** The same tests against the whole service on every engine; `wl` is filled before the first of them runs. */
export const describeService = (
  subject: string,
  tests: (wl: TestService, engine: Engine) => void,
  options: HarnessOptions = {},
): void => {
  for (const engine of engines) {
    describe(`${subject} on ${engine.name}`, () => {
      const wl = {} as TestService
      before(async () => {
        Object.assign(wl, await startService(engine, options))
      })
      after(() => wl.stop())
      tests(wl, engine)
    })
  }
}
