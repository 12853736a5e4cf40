import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { engines } from 'worklore-testing/engines'
import { putItem } from 'worklore-testing/factories'
import { startService } from 'worklore-testing/harness'

it('searches that nobody waits for give up their turns', { timeout: 600_000 }, async () => {
  // Where reading takes no time, a search is over before it can be cancelled.
  const wl = await startService(engines.find(({ name }) => name === 'postgres')!, { search: { maxWaitMs: 3_600_000 } })
  try {
    await putItem(wl, 'one', 'The zeppelin')
    const wanted = { collection: 'knowledge', text: 'zeppelin', filter: {}, top: 1, from: 0, to: 1 }
    const listeners: (() => void)[] = []
    const onAbandoned = (listener: () => void): void => void listeners.push(listener)
    const { search } = wl.service.core
    // As many as a tenant may have under way.
    const abandoned = [1, 2].map(() => search.search(wl.tenantId, wanted, { onAbandoned }))
    await setImmediate()
    for (const listener of listeners) listener()
    for (const each of abandoned) await assert.rejects(each, { code: 'SERVICE_UNAVAILABLE' })
    assert.equal((await search.search(wl.tenantId, wanted)).total, 1)
  } finally {
    await wl.stop()
  }
})
