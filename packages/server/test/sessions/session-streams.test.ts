import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { addKey, type Browser, signIn } from 'worklore-testing/console-session'
import { type EventStream, openStream } from 'worklore-testing/event-stream'
import { expectStatus } from 'worklore-testing/expect'
import { describeTenant } from 'worklore-testing/service-suite'

describeTenant('the event stream of a session', (wl) => {
  const streams: EventStream[] = []
  after(() => {
    for (const stream of streams) stream.close()
  })

  const opened = async (stream: Promise<EventStream>): Promise<EventStream> => {
    streams.push(await stream)
    assert.equal(streams.at(-1)!.status, 200)
    return streams.at(-1)!
  }
  const open = ({ headers }: Browser): Promise<EventStream> =>
    opened(openStream(`${wl.baseUrl}/v1/events/stream`, null, headers))

  it('shows changes until the session ends, however it does', async () => {
    const browsers: Browser[] = []
    for (let at = 0; at < 4; at++) browsers.push(await signIn(wl, await addKey(wl)))
    const [signedOut, ended, ofRevoked, lasting] = browsers as [Browser, Browser, Browser, Browser]
    const ending = await Promise.all([signedOut, ended, ofRevoked].map(open))
    const going = await open(lasting)
    await wl.post('/v1/users', { name: 'Ada' })
    for (const stream of streams) assert.equal((await stream.until(1))[0]!.data.type, 'user.created')

    expectStatus(await signedOut.request('DELETE', '/console/session'), 200)
    expectStatus(await wl.delete(`/v1/sessions/${ended.session.id}`), 200)
    expectStatus(await wl.delete(`/v1/keys/${ofRevoked.session.keyId}`), 200)
    await wl.post('/v1/users', { name: 'Grace' })
    await Promise.all(ending.map((stream) => stream.ended))
    for (const stream of ending) assert.ok(!stream.events.some(({ data }) => data.data?.name === 'Grace'))
    assert.equal((await going.until(3)).at(-1)!.data.data.name, 'Grace')
  })
})
