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
  const openByHeaders = ({ headers }: Browser): Promise<EventStream> =>
    opened(openStream(`${wl.baseUrl}/v1/events/stream`, null, headers))
  const openByTicket = async (browser: Browser): Promise<EventStream> => {
    const { ticket } = expectStatus(await browser.post('/v1/events/ticket', undefined), 200).body.data
    return opened(openStream(`${wl.baseUrl}/v1/events/stream?ticket=${ticket}`, null))
  }

  it('shows changes until the session ends, however it does', async () => {
    const browsers: Browser[] = []
    for (let at = 0; at < 4; at++) browsers.push(await signIn(wl, await addKey(wl)))
    const [signedOut, ended, ofRevoked, lasting] = browsers as [Browser, Browser, Browser, Browser]
    const ending: EventStream[] = []
    for (const browser of [signedOut, ended, ofRevoked]) {
      ending.push(await openByHeaders(browser), await openByTicket(browser))
    }
    const going = [await openByHeaders(lasting), await openByTicket(lasting)]
    await wl.post('/v1/users', { name: 'Ada' })
    for (const stream of streams) assert.equal((await stream.until(1))[0]!.data.type, 'user.created')

    expectStatus(await signedOut.request('DELETE', '/console/session'), 200)
    expectStatus(await wl.delete(`/v1/sessions/${ended.session.id}`), 200)
    expectStatus(await wl.delete(`/v1/keys/${ofRevoked.session.keyId}`), 200)
    await wl.post('/v1/users', { name: 'Grace' })
    await Promise.all(ending.map((stream) => stream.ended))
    for (const stream of ending) assert.ok(!stream.events.some(({ data }) => data.data?.name === 'Grace'))
    for (const stream of going) assert.equal((await stream.until(3)).at(-1)!.data.data.name, 'Grace')
  })
})
