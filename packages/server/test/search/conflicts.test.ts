import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { startService, type TestService } from 'worklore-testing/harness'
import { inLongRun } from 'worklore-testing/long-run'
import { until } from 'worklore-testing/until'
import { type AskedFact, writeConflicts } from './conflicts-fixture.js'
import { embeddedAll, searchKnowledge } from './hybrid-fixture.js'

const factCount = inLongRun(60, 240)

const expectCurrentValues = async (t: TestContext, wl: TestService, facts: readonly AskedFact[]): Promise<void> => {
  let right = 0
  for (const { question, value, withdrawn } of facts) {
    const [first] = (await searchKnowledge(wl, question, '&limit=3')).data
    assert.ok(!withdrawn.includes(first?.key), `${question} ${first?.key}`)
    if (value === null || first?.content.includes(value)) right++
  }
  t.diagnostic(`the current value is first for ${right} of ${facts.length} facts`)
  assert.ok(right >= facts.length * 0.95)
}

for (const engine of engines) {
  it(`finds the current value of facts that changed by words on ${engine.name}`, async (t) => {
    const wl = await startService(engine)
    await expectCurrentValues(t, wl, await writeConflicts(wl, factCount, 1))
    await wl.stop()
  })
}

it('finds the current value of facts that changed by words and meaning', async (t) => {
  const wl = await startService(engines[0]!, {
    config: { embeddings: 'local' },
    search: { queries: { maxWaitMs: 30_000 }, embedding: { debounceMs: 5, pollMs: 100 } },
  })
  const facts = await writeConflicts(wl, factCount, 2)
  await embeddedAll(wl)
  await until(
    () => searchKnowledge(wl, facts[0]!.question, '&explain=true'),
    ({ data }) => data[0].explain.by === 'words and meaning',
  )
  await expectCurrentValues(t, wl, facts)
  await wl.stop()
})
