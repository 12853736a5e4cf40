import { describe, it } from 'node:test'
import { engines } from '../engines.js'
import { expectUnharmed } from './beside.js'
import { loads } from './loads.js'

const loadMs = 3_000

for (const engine of engines) {
  describe(`another tenant on ${engine.name} is not harmed by`, () => {
    for (const load of loads) {
      it(load.name, async (test) => {
        test.diagnostic(await expectUnharmed(engine, load, loadMs, 3))
      })
    }
  })
}
