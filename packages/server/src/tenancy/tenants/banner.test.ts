import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { loadPlans } from '../../limits/plans.js'
import { banner } from './banner.js'

describe('the banner', () => {
  const plans = loadPlans()
  const url = 'http://127.0.0.1:8787'
  const created = { tenantId: 'ten_1', tenantName: 'default', plan: 'free', keyId: 'key_1' }
  const later = { created: undefined, newSecret: undefined, warnings: [] }

  it('has a link that signs in at the first start', () => {
    const firstStart = { created, newSecret: 'wl_live_x', warnings: [] }
    const text = banner({ url, firstStart, plans, consoleUrl: `${url}/console/#link=wl_link_x` })
    assert.match(text, /\n {2}http:\/\/127\.0\.0\.1:8787\/console\/#link=wl_link_x\n/)
    assert.match(text, /once, within 10 minutes/)
  })

  it('says which plan the first tenant got, and how to change it', () => {
    const planLine = (plan: string): string | undefined =>
      banner({ url, firstStart: { created: { ...created, plan }, newSecret: undefined, warnings: [] }, plans })
        .split('\n')
        .find((line) => line.startsWith('Plan:'))
    assert.equal(
      planLine('self-hosted'),
      'Plan:  self-hosted (effectively unlimited); change it with: npx worklore tenants set-plan default free',
    )
    assert.equal(
      planLine('free'),
      'Plan:  free (60 requests a minute, 1,000 a day, 100 new tasks an hour); change it with: npx worklore tenants set-plan default self-hosted',
    )
    assert.doesNotMatch(banner({ url, firstStart: later, plans }), /Plan/)
  })

  it('names the console at later starts, and not where it is not built', () => {
    assert.match(
      banner({ url, firstStart: later, plans, consoleUrl: `${url}/console/` }),
      /Console: {2}http:\S+\/console\//,
    )
    assert.doesNotMatch(banner({ url, firstStart: later, plans }), /onsole/)
  })
})
