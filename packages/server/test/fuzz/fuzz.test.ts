import assert from 'node:assert/strict'
import { it } from 'node:test'
import { inLongRun } from 'worklore-testing/long-run'
import { describeTenant } from 'worklore-testing/service-suite'
import { fuzz } from './fuzz.js'

describeTenant('made-up requests', (wl) => {
  it('get no 5xx, only documented answers, and leave what the model says', async () => {
    const sessions = inLongRun(3, 40)
    assert.ok((await fuzz(wl, { sessions, callsPerSession: 120 })) >= 100 * sessions)
  })
})
