import { describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { inLongRun } from 'worklore-testing/long-run'
import { expectUnharmed } from './beside.js'
import { loads } from './loads.js'

const loadMs = inLongRun(400, 3_000)

for (const [at, engine] of engines.entries()) {
  describe(`another tenant on ${engine.name} is not harmed by`, () => {
    // The short run has each load on one engine.
    for (const load of loads.filter((_, index) => inLongRun(index % engines.length === at, true))) {
      it(load.name, async (test) => {
        test.diagnostic(await expectUnharmed(engine, load, loadMs, 3))
      })
    }
  })
}
