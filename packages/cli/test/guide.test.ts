import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { describeClientService } from 'worklore-testing/service-suite'
import { normalized, runSession } from './session.js'
import { userFor } from './wl.js'

const guide = readFileSync(new URL('../../../../docs/cli.md', import.meta.url), 'utf8')

describeClientService('the session in docs/cli.md', (service) => {
  it('prints what it shows', async (test) => {
    const user = userFor(test, service)
    const [, session] = /```console\n(\$ wl login\n[\s\S]*?)```/.exec(guide)!
    const steps = session!.split(/^\$ /m).slice(1)
    const lines = steps.map((step) => step.split('\n', 1)[0]!)
    assert.ok(lines.filter((line) => line.includes('wl ')).length >= 20)
    const printed = await runSession(user, lines, service.adminKey)
    for (const [at, step] of steps.entries()) {
      const shown = step.slice(lines[at]!.length + 1).trimEnd()
      assert.equal(normalized(printed[at]!, user), normalized(shown), lines[at])
    }
  })
})
