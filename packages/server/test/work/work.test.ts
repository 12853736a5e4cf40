import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeService } from '../service-suite.js'
import { playWork } from './play.js'

describeService(
  'random work of many agents',
  (wl) => {
    it('leaves every count, the queue and what is handed out as a recount says', async () => {
      const outcomes = await playWork(wl, { sessions: 2, stepsPerSession: 150 })
      for (const outcome of ['200', '201', '403', '409 claimed', '409 blocked', '412 claim_lost']) {
        assert.ok(outcomes[outcome], `${outcome} among ${JSON.stringify(outcomes)}`)
      }
    })
  },
  { isTimeStill: true },
)
