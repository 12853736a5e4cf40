import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { engines, type TestStore } from '../engines.js'
import { expectStatus } from '../expect.js'
import { send } from '../harness.js'
import { environmentOf, runProgram, serveProgram } from '../program.js'

const secret = /wl_live_[0-9A-Za-z]{38}/g

for (const engine of engines) {
  describe(`the first start on ${engine.name}`, () => {
    let made: TestStore
    let given: TestStore
    before(async () => {
      made = await engine.createStore()
      given = await engine.createStore()
    })
    after(async () => {
      await made.remove()
      await given.remove()
    })

    it('prints an admin key once, and later starts never again', async (test) => {
      const first = await serveProgram(test, { ...environmentOf(made), LOG_LEVEL: 'trace' })
      assert.match(first.outcome.stdout, /Docs: {2}http:\S+\/docs/)
      const keys = first.outcome.stdout.match(secret)
      assert.equal(keys?.length, 1)
      const me = expectStatus(await send(first.baseUrl, 'GET', '/v1/me', { key: keys![0] }), 200).body.data
      assert.deepEqual([me.tenant.name, me.plan, me.scopes], ['default', 'free', ['admin']])
      first.signal('SIGTERM')
      assert.equal((await first.ended).code, 0)
      assert.equal(first.outcome.stdout.match(secret)?.length, 1)
      const second = await serveProgram(test, { ...environmentOf(made), LOG_LEVEL: 'trace' })
      expectStatus(await send(second.baseUrl, 'GET', '/v1/me', { key: keys![0] }), 200)
      second.signal('SIGINT')
      assert.equal((await second.ended).code, 0)
      assert.doesNotMatch(second.outcome.stdout + second.outcome.stderr, secret)
    })

    it('takes the key and the plan of the environment; a later difference or a typo is a warning', async (test) => {
      const key = 'wl_an-operator’s own key'.replace(/[^a-z_]/g, '-').padEnd(32, '!')
      const settings = { WORKLORE_ADMIN_KEY: key, WORKLORE_PLAN: 'self-hosted' }
      const first = await serveProgram(test, { ...environmentOf(given), ...settings })
      const me = expectStatus(await send(first.baseUrl, 'GET', '/v1/me', { key }), 200).body.data
      assert.equal(me.plan, 'self-hosted')
      first.signal('SIGTERM')
      await first.ended
      assert.ok(!first.outcome.stdout.includes(key))
      assert.doesNotMatch(first.outcome.stdout, /warn|"level":40/)

      const other = {
        WORKLORE_ADMIN_KEY: 'another-key-of-at-least-32-characters',
        WORKLORE_PLAN: 'pro',
        WORKLORE_EMBEDINGS: 'off',
      }
      const second = await serveProgram(test, { ...environmentOf(given), ...other })
      expectStatus(await send(second.baseUrl, 'GET', '/v1/me', { key: other.WORKLORE_ADMIN_KEY }), 401)
      const same = expectStatus(await send(second.baseUrl, 'GET', '/v1/me', { key }), 200).body.data
      assert.equal(same.plan, 'self-hosted')
      second.signal('SIGTERM')
      await second.ended
      assert.match(second.outcome.stdout, /"level":40.*WORKLORE_PLAN/)
      assert.match(second.outcome.stdout, /"level":40.*WORKLORE_ADMIN_KEY/)
      assert.match(second.outcome.stdout, /"level":40.*WORKLORE_EMBEDINGS is no setting/)
      assert.ok(!second.outcome.stdout.includes(other.WORKLORE_ADMIN_KEY))
    })
  })
}

describe('a start with wrong settings', () => {
  it('ends with a message that names every wrong one', async () => {
    const wrong = {
      PORT: '70000',
      LOG_LEVEL: 'loud',
      DATABASE_URL: 'mysql://x',
      WORKLORE_POOL_SIZE: 'many',
      WORKLORE_ADMIN_KEY: 'short',
      WORKLORE_BODY_LIMIT: '-1',
      WORKLORE_SEARCH_MEMORY: '0',
      WORKLORE_EVENT_DAYS: '1.5',
      WORKLORE_PLAN: 'gold',
      WORKLORE_PLANS: '/nonexistent/plans.json',
      TRUST_PROXY: 'everyone',
    }
    const { code, stdout, stderr } = await runProgram(['serve'], wrong)
    assert.equal(code, 1)
    assert.equal(stdout, '')
    for (const name of Object.keys(wrong)) assert.ok(stderr.includes(name), `${name} is missing in: ${stderr}`)
    assert.doesNotMatch(stderr, /\n\s+at /)
  })

  it('refuses an admin key that could never be used', async () => {
    for (const key of ['x'.repeat(31), `${'x'.repeat(32)} y`, `wl_live_${'x'.repeat(38)}`]) {
      const { code, stderr } = await runProgram(['serve'], { WORKLORE_ADMIN_KEY: key })
      assert.equal(code, 1)
      assert.match(stderr, /WORKLORE_ADMIN_KEY/)
      assert.ok(!stderr.includes(key))
    }
  })
})
