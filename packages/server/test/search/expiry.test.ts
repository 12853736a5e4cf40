import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { expectStatus } from 'worklore-testing/expect'
import { putItem } from 'worklore-testing/factories'
import { type Answer, startService, type TestService } from 'worklore-testing/harness'

const keysOf = ({ body }: Answer): string[] => body.data.map(({ key }: { key: string }) => key)

for (const engine of engines) {
  describe(`expiry in lists and searches on ${engine.name}`, () => {
    let wl: TestService
    let other: TestService
    before(async () => {
      wl = await startService(engine, { isTimeStill: true })
      other = engine.name === 'postgres' ? await startService(engine, { isTimeStill: true, store: wl.store }) : wl
      wl.passTime(other.service.core.clock() - wl.service.core.clock())
    })
    after(async () => {
      if (other !== wl) await other.stop()
      await wl.stop()
    })

    const passTime = (ms: number) => {
      wl.passTime(ms)
      if (other !== wl) other.passTime(ms)
    }
    const inMs = (ms: number) => new Date(wl.service.core.clock() + ms).toISOString()

    it('happens at the instant, also for answers that were kept and by their tags', async () => {
      await putItem(wl, 'falcon/a', 'falcon nest', { validUntil: inMs(5_000) })
      await putItem(wl, 'falcon/b', 'falcon wing', { validUntil: inMs(60_000) })
      const paths = {
        '/v1/knowledge/search?q=falcon': [['falcon/a', 'falcon/b'], ['falcon/b'], []],
        '/v1/search?q=falcon': [['falcon/a', 'falcon/b'], ['falcon/b'], []],
        '/v1/knowledge?state=current': [['falcon/a', 'falcon/b'], ['falcon/b'], []],
        '/v1/knowledge?state=expired': [[], ['falcon/a'], ['falcon/a', 'falcon/b']],
      }
      const nodes = [wl, other]
      const known = new Map<string, string[]>()
      const expectAll = async (phase: number) => {
        for (const [path, phases] of Object.entries(paths)) {
          for (const node of [...nodes, ...nodes, ...nodes]) {
            const answer = await node.get(path)
            assert.deepEqual(keysOf(answer).sort(), phases[phase], path)
            const tags = known.get(path) ?? []
            known.set(path, [...tags, answer.headers.etag!])
            const again = await node.get(path, { headers: { 'If-None-Match': answer.headers.etag! } })
            expectStatus(again, 304)
          }
        }
      }
      const expectChanged = async () => {
        for (const [path, tags] of known) {
          for (const node of nodes) {
            for (const tag of new Set(tags)) {
              expectStatus(await node.get(path, { headers: { 'If-None-Match': tag } }), 200)
            }
          }
        }
        known.clear()
      }
      await expectAll(0)
      passTime(4_999)
      await expectAll(0)
      passTime(1)
      await expectChanged()
      await expectAll(1)
      passTime(55_000 - 1)
      await expectAll(1)
      passTime(1)
      await expectChanged()
      await expectAll(2)
    })

    it('ends the state that a list shows', async () => {
      await putItem(wl, 'osprey', 'osprey', { validUntil: inMs(1_000) })
      const stateOf = async () => (await other.get('/v1/knowledge?prefix=osprey')).body.data[0].state
      for (let times = 0; times < 3; times++) assert.equal(await stateOf(), 'current')
      passTime(1_000)
      assert.equal(await stateOf(), 'expired')
    })

    it('is nothing to answers of a tenant where nothing will expire', async () => {
      const { headers } = await wl.get('/v1/knowledge?prefix=osprey')
      assert.match(headers.etag!, /^W\/"[\w-]{27}"$/)
    })
  })
}
