import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createTask } from 'worklore-testing/factories'
import { inLongRun } from 'worklore-testing/long-run'
import { describeClient } from 'worklore-testing/service-suite'
import { bridgedFor } from './bridged.js'
import { checkEqual } from './model.js'

/** `npm test` kills the bridge at every sixth request only. */
const stride = inLongRun(6, 1)

describeClient('wl-github, killed at each request in turn', (tenant) => {
  for (const isAnswerLost of [false, true]) {
    it(`goes on where it was killed ${isAnswerLost ? 'before an answer' : 'before a request'}`, async (test) => {
      for (let killAt = 1 + (Number(isAnswerLost) % stride), isKilled = true; isKilled; killAt += stride) {
        const bridged = await bridgedFor(test, tenant, `KILL${Number(isAnswerLost)}X${killAt}`)
        const { stub, wl, project, run, sent } = bridged
        const { number } = stub.create({ title: 'There', body: 'Text', labels: ['bug'] })
        stub.comment(number, 'A comment there')
        const task = await createTask(tenant, project.id, { title: 'Here', status: 'done', labels: ['docs'] })
        await wl.tasks.comments(task.id).create({ body: 'A comment here' })
        await run({ killAt, isAnswerLost })
        isKilled = sent.github + sent.worklore >= (isAnswerLost ? killAt : killAt - 1)
        await run()
        assert.deepEqual([stub.issues.size, stub.comments.size], [2, 2], `killed at ${killAt}`)
        await checkEqual(bridged)
        await run()
        assert.equal(sent.writes, 0, `killed at ${killAt}`)
      }
    })
  }
})
