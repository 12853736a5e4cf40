import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createProject, createUser } from 'worklore-testing/factories'
import { inLongRun } from 'worklore-testing/long-run'
import { describeClient } from 'worklore-testing/service-suite'
import { bridgedFor } from './bridged.js'
import { checkEqual, createEditor } from './model.js'

/** `SEED` is the first of `SEEDS` seeds; `STEPS` says how often both sides are edited and the bridge runs. */
const { SEED, SEEDS, STEPS } = process.env
const firstSeed = Number(SEED ?? 1)
const seeds = Number(SEEDS ?? (SEED ? 1 : inLongRun(2, 30)))
const steps = Number(STEPS ?? inLongRun(6, 12))
const maxEdits = 8

describeClient('both sides of wl-github, edited at random while it is killed', (tenant) => {
  it('has users on both sides', async () => {
    await createUser(tenant, { name: 'Ada', handle: 'ada' })
    await createUser(tenant, { name: 'Bob', handle: 'bob' })
  })

  for (let seed = firstSeed; seed < firstSeed + seeds; seed++) {
    it(`end equal, with nothing twice and no echo, from seed ${seed}`, async (test) => {
      const bridged = await bridgedFor(test, tenant, `MODEL${seed}`, { assignable: ['ada', 'bob'] })
      const { run, sent, stub } = bridged
      const elsewhere = await createProject(tenant, { key: `ELSE${seed}` })
      const { edit, below, settle } = createEditor(bridged, seed, elsewhere.id)
      const settings = { withDeletions: true, onMerge: 'done' }
      for (let step = 0; step < steps; step++) {
        for (let edits = below(maxEdits) + 1; edits > 0; edits--) await edit()
        if (below(4) > 0) await run({ ...settings, killAt: below(60) + 1, isAnswerLost: below(2) === 0 })
        else await run(settings)
      }
      await settle()
      // Deletions on GitHub are in no list of changes.
      await run({ ...settings, isFull: true })
      await run({ ...settings, isFull: true })
      await checkEqual(bridged)
      const writesBefore = stub.writes
      await run(settings)
      assert.deepEqual([sent.writes, stub.writes], [0, writesBefore])
    })
  }
})
