import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { inLongRun, quietBoundMs } from 'worklore-testing/long-run'
import { readOperations } from 'worklore-testing/operations'
import { describeTenant } from 'worklore-testing/service-suite'
import { fillTwoTenants, missingLike, type Side } from './two-tenants.js'

const rounds = inLongRun(10, 150)
const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1]!

describeTenant('an answer', (wl) => {
  let own: Side
  let other: Side
  before(async () => {
    ;({ own, other } = await fillTwoTenants(wl, await readOperations(wl)))
  })

  it('takes no longer and no shorter for a record of another tenant', async () => {
    const times: [number[], number[]] = [[], []]
    const ids = [other.ids.taskId!, missingLike(other.ids.taskId!)]
    for (let round = 0; round < rounds; round++) {
      for (const at of [0, 1] as const) {
        const startedAt = performance.now()
        await wl.get(`/v1/tasks/${ids[at]}`, { key: own.secret })
        times[at].push(performance.now() - startedAt)
      }
    }
    const [foreign, missing] = [median(times[0]), median(times[1])]
    const maxDifferenceMs = quietBoundMs(Math.max(foreign, missing) * 0.5 + 1)
    assert.ok(Math.abs(foreign - missing) < maxDifferenceMs, `${foreign} ms and ${missing} ms`)
  })
})
