import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeService } from '../service-suite.js'
import { fuzz } from './fuzz.js'

describeService('made-up requests', (wl) => {
  it('get no 5xx, only documented answers, and leave what the model says', async () => {
    assert.ok((await fuzz(wl, { sessions: 3, callsPerSession: 120 })) >= 300)
  })
})
