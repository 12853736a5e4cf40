import assert from 'node:assert/strict'
import { it } from 'node:test'
import { expectStatus } from 'worklore-testing/expect'
import { putItem } from 'worklore-testing/factories'
import { inLongRun } from 'worklore-testing/long-run'
import { describeService } from 'worklore-testing/service-suite'
import { until } from 'worklore-testing/until'

const mebibyte = 1_048_576
const maxAnswer = 9 * mebibyte

describeService('search among large items', (wl) => {
  it('answers with no more text than a list does, and other searches go on beside it', async () => {
    // A text of a few long words is indexed faster.
    const filler = inLongRun(`${'x'.repeat(60)} ${'y'.repeat(60)} `, 'the quick brown fox jumps over the lazy dog ')
    const content = `walrus ${filler.repeat(Math.floor((mebibyte - 100) / filler.length))}`
    for (let at = 0; at < 12; at++) await putItem(wl, `large/${at}`, content)
    await putItem(wl, 'small', 'A note about the pelican')
    const find = (q: string, limit = 100) => wl.get(`/v1/knowledge/search?q=${q}&limit=${limit}`)
    // The index is built meanwhile, and answers from what it has.
    await until(
      () => find('walrus', 1),
      ({ body }) => body.complete !== false,
    )
    const [pelican, ...large] = await Promise.all([find('pelican'), ...Array.from({ length: 6 }, () => find('walrus'))])
    assert.deepEqual(
      expectStatus(pelican!, 200).body.data.map(({ key }: { key: string }) => key),
      ['small'],
    )
    for (const answer of large) {
      assert.ok(expectStatus(answer, 200).text.length < maxAnswer, `${answer.text.length}`)
      assert.ok(answer.body.data.length >= 7 && answer.body.data.length < 12, `${answer.body.data.length} hits`)
    }
  })
})
