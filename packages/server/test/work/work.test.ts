import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeService } from 'worklore-testing/service-suite'
import { playWork } from './play.js'

const wanted = [
  '200',
  '201',
  '403 project',
  '403 verifier',
  '409 claimed',
  '409 blocked',
  '409 closed',
  '409 resource',
  '412 claim_lost',
]

describeService(
  'random work of many agents',
  (wl) => {
    it('leaves every count, the queue and what is handed out as a recount says', async () => {
      const outcomes = await playWork(wl, { sessions: 2, stepsPerSession: 150 })
      const missing = () => wanted.filter((outcome) => !outcomes[outcome])
      // Chance may leave an outcome out of two sessions, but hardly of forty.
      for (let more = 0; more < 38 && missing().length > 0; more++) {
        Object.assign(outcomes, await playWork(wl, { sessions: 1, stepsPerSession: 150 }))
      }
      assert.deepEqual(missing(), [], JSON.stringify(outcomes))
    })
  },
  { isTimeStill: true },
)
