import assert from 'node:assert/strict'
import { it } from 'node:test'
import { startEmbeddingsEndpoint } from 'worklore-testing/embeddings-endpoint'
import { engines } from 'worklore-testing/engines'
import { putItem } from 'worklore-testing/factories'
import type { TestTenant } from 'worklore-testing/harness'
import { createTestTenant } from 'worklore-testing/operator'
import { embeddedAll, findsSoon, startHybrid } from '../search/hybrid-fixture.js'

it('embeds the texts of tenants on several shards', async (test) => {
  const endpoint = await startEmbeddingsEndpoint()
  test.after(() => endpoint.stop())
  const wl = await startHybrid(engines[0]!, endpoint)
  test.after(() => wl.stop())
  const tenants: TestTenant[] = [wl]
  while (tenants.length < 6) tenants.push(await createTestTenant(wl))
  for (const tenant of tenants) {
    await putItem(tenant, 'pets/afternoon', 'The cat sleeps on the carpet')
  }
  await embeddedAll(wl)
  for (const tenant of tenants) {
    assert.deepEqual(await findsSoon(tenant, 'feline napping', ['pets/afternoon']), ['pets/afternoon'])
  }
})
