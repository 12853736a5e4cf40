import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { Webhook as Verifier } from 'standardwebhooks'
import { engines } from 'worklore-testing/engines'
import { startService, type TestService } from 'worklore-testing/harness'
import { quietBoundMs } from 'worklore-testing/long-run'
import { answer, eventually, type Received, type Receiver, startReceiver } from 'worklore-testing/receiver'

const verify = (secret: string, { text, headers }: Received): unknown =>
  new Verifier(secret).verify(text, headers as Record<string, string>)

for (const engine of engines) {
  describe(`webhook deliveries on ${engine.name}`, () => {
    let wl: TestService
    let receiver: Receiver
    let made: string[] = []

    before(async () => {
      wl = await startService(engine, {
        config: { webhookAllow: ['127.0.0.0/8'] },
        webhooks: { timeoutMs: 3_000, pollIntervalMs: 50, idleTimeoutMs: 200 },
      })
      await wl.post('/v1/projects', { key: 'ACME', name: 'Acme' })
      await wl.post('/v1/projects', { key: 'OTHER', name: 'Other' })
    })
    after(() => wl.stop())
    beforeEach(async () => {
      receiver = await startReceiver()
    })
    afterEach(async () => {
      for (const id of made) await wl.delete(`/v1/webhooks/${id}`)
      made = []
      await receiver.close()
    })

    const createHook = async (fields: object = {}) => {
      const { status, body } = await wl.post('/v1/webhooks', { url: receiver.url, events: ['task.*'], ...fields })
      assert.equal(status, 201, JSON.stringify(body))
      made.push(body.data.id)
      return body.data
    }
    const createTask = async (title: string, projectId = 'ACME') =>
      (await wl.post('/v1/tasks', { projectId, title })).body.data
    const hook = async (id: string) => (await wl.get(`/v1/webhooks/${id}`)).body.data
    const deliveries = async (id: string, query = '') =>
      (await wl.get(`/v1/webhooks/${id}/deliveries${query}`)).body.data

    it('sends each change once and in order, signed as Standard Webhooks asks', async () => {
      const { secret, id } = await createHook()
      const tasks = []
      for (let i = 0; i < 20; i++) tasks.push(await createTask(`task ${i}`))
      await wl.patch(`/v1/tasks/${tasks[0].id}`, { status: 'done' })
      await wl.patch(`/v1/tasks/${tasks[0].id}`, { status: 'done' })
      const received = await receiver.until(21)
      await new Promise((done) => setTimeout(done, 150))
      assert.deepEqual(
        received.map(({ event }) => [event.type, event.data.id]),
        [...tasks.map((task) => ['task.created', task.id]), ['task.updated', tasks[0].id]],
      )
      const sequences = received.map(({ event }) => event.sequence)
      assert.deepEqual(
        sequences,
        [...sequences].sort((a, b) => a - b),
      )
      for (const each of received) {
        assert.deepEqual(verify(secret, each), each.event)
        assert.equal(each.headers['webhook-id'], each.event.id)
        assert.equal(each.headers['content-type'], 'application/json')
      }
      const last = received.at(-1)!.event
      assert.deepEqual(last.previous, { status: 'todo' })
      assert.equal(last.data.status, 'done')
      assert.equal(last.actor.keyName, 'admin')
      const [newest] = await eventually(
        () => deliveries(id),
        (list) => list.length === 21,
      )
      assert.equal(newest.status, 'succeeded')
      assert.equal(newest.attempts, 1)
      assert.equal(newest.responseStatus, 200)
      assert.equal(newest.responseBody, 'thanks')
      assert.ok(newest.durationMs >= 0)
    })

    it('signs with both secrets while one follows the other', async () => {
      const { id, secret: old } = await createHook()
      const rotated = await wl.post(`/v1/webhooks/${id}/rotate-secret`, { overlapSeconds: 3_600 })
      assert.equal(rotated.status, 200)
      const { secret: fresh } = rotated.body.data
      assert.notEqual(fresh, old)
      await createTask('both')
      const [both] = await receiver.until(1)
      assert.equal(both!.headers['webhook-signature']!.toString().split(' ').length, 2)
      verify(old, both!)
      verify(fresh, both!)
      wl.passTime(3_601_000)
      await createTask('new alone')
      const alone = (await receiver.until(2))[1]!
      assert.equal(alone.headers['webhook-signature']!.toString().split(' ').length, 1)
      const sentAt = new Date(Number(alone.headers['webhook-timestamp']) * 1000)
      const expected = new Verifier(fresh).sign(alone.headers['webhook-id'] as string, sentAt, alone.text)
      assert.equal(alone.headers['webhook-signature'], expected)
    })

    it('sends only the types and the project asked for', async () => {
      await createHook({ events: ['task.deleted', 'knowledge.*'], projectId: 'ACME' })
      const task = await createTask('one')
      const other = await createTask('two', 'OTHER')
      await wl.delete(`/v1/tasks/${other.id}`)
      await wl.put('/v1/knowledge/tenant-wide', { content: 'x' })
      await wl.put('/v1/knowledge/of-project', { content: 'x', projectId: 'ACME' })
      await wl.delete(`/v1/tasks/${task.id}`)
      const received = await receiver.until(2)
      assert.deepEqual(
        received.map(({ event }) => [event.type, event.data.key ?? event.data.id]),
        [
          ['knowledge.created', 'of-project'],
          ['task.deleted', task.id],
        ],
      )
    })

    it('marks a payload that is too large instead of sending it whole', async () => {
      await createHook({ events: ['knowledge.*'] })
      await wl.put('/v1/knowledge/large', { content: 'x'.repeat(200_000) })
      const [first] = await receiver.until(1)
      assert.equal(first!.event.data.truncated, true)
      assert.equal(first!.event.data.key, 'large')
      assert.ok(first!.text.length < 2_000)
    })

    for (const [name, behaviour, expected] of [
      ['a 500', answer(500, {}, 'broken'), { responseStatus: 500, error: 'answered 500', responseBody: 'broken' }],
      [
        'a redirect, which is not followed,',
        answer(302, { location: '/elsewhere' }),
        { responseStatus: 302, error: 'answered 302; redirects are not followed', responseBody: '' },
      ],
      [
        'a reset connection',
        (response) => response.socket?.resetAndDestroy(),
        { responseStatus: null, responseBody: null },
      ],
      ['no answer in time', () => {}, { responseStatus: null, error: 'no response within 3 seconds' }],
    ] as [string, Parameters<Receiver['behave']>[0], object][]) {
      it(`tries again after ${name} with the same id, without holding up what follows`, async () => {
        const { id, secret } = await createHook()
        receiver.behave((response, entry) =>
          entry.event.data.title === 'unlucky' ? behaviour(response, entry) : answer(200)(response, entry),
        )
        await createTask('unlucky')
        await createTask('lucky')
        await receiver.until((all) => all.some(({ event }) => event.data.title === 'lucky'))
        const [waiting] = await eventually(
          () => deliveries(id, '?status=retrying'),
          (list) => list.length === 1,
        )
        assert.deepEqual({ ...waiting, ...expected }, waiting)
        const delayMs = Date.parse(waiting.nextAttemptAt) - Date.parse(waiting.attemptedAt)
        assert.ok(delayMs >= 5_000 && delayMs <= 6_000, `${delayMs}`)
        receiver.behave(answer(204))
        const before = receiver.received.length
        wl.passTime(6_000)
        const again = (await receiver.until(before + 1)).at(-1)!
        assert.equal(again.event.data.title, 'unlucky')
        assert.equal(again.headers['webhook-id'], receiver.received[0]!.headers['webhook-id'])
        assert.ok(secret.startsWith('whsec_'))
        const [settled] = await eventually(
          () => deliveries(id, '?status=succeeded'),
          (list) => list.some((each: { attempts: number }) => each.attempts === 2),
        ).then((list) => list.filter((each: { attempts: number }) => each.attempts === 2))
        assert.equal(settled.id, waiting.id)
        assert.equal((await hook(id)).failingSince, null)
      })
    }

    it('heeds Retry-After, for the log too', async () => {
      const { id } = await createHook()
      receiver.behave(answer(503, { 'retry-after': '60' }))
      await createTask('first')
      await createTask('second')
      const [waiting] = await eventually(
        () => deliveries(id, '?status=retrying'),
        (list) => list.length > 0,
      )
      assert.ok(Date.parse(waiting.nextAttemptAt) - Date.parse(waiting.attemptedAt) >= 60_000)
      receiver.behave(answer(200))
      await new Promise((done) => setTimeout(done, 300))
      assert.equal(receiver.received.length, 1)
      wl.passTime(61_000)
      await receiver.until(3)
    })

    it('is turned off by 410, and goes on where it was when turned on', async () => {
      const { id } = await createHook()
      receiver.behave(answer(410))
      await createTask('unwanted')
      const off = await eventually(
        () => hook(id),
        ({ active }) => !active,
      )
      assert.match(off.disabledReason, /410/)
      const { data } = (await wl.get('/v1/events?types=webhook.disabled')).body
      assert.equal(data.at(-1).data.id, id)
      assert.equal(data.at(-1).actor.keyName, 'webhook delivery')
      assert.equal((await wl.post(`/v1/webhooks/${id}/ping`, undefined)).status, 409)
      await createTask('while it was off')
      receiver.behave(answer(200))
      const on = (await wl.patch(`/v1/webhooks/${id}`, { active: true })).body.data
      assert.equal(on.disabledReason, null)
      const received = await receiver.until(2)
      assert.equal(received[1]!.event.data.title, 'while it was off')
    })

    it('is turned off when its project is deleted, after that was sent', async () => {
      await wl.post('/v1/projects', { key: 'SHORT', name: 'Short' })
      const { id } = await createHook({ events: ['task.*', 'project.deleted'], projectId: 'SHORT' })
      const { id: silent } = await createHook({ events: ['task.created'], projectId: 'SHORT' })
      const { id: other } = await createHook({ events: ['project.*'], projectId: 'ACME' })
      await createTask('last', 'SHORT')
      assert.equal((await wl.delete('/v1/projects/SHORT?force=true')).status, 200)
      for (const each of [id, silent]) {
        const off = await eventually(
          () => hook(each),
          ({ active }) => !active,
        )
        assert.equal(off.disabledReason, 'The project was deleted.')
      }
      assert.deepEqual(receiver.received.map(({ event }) => event.type).sort(), [
        'project.deleted',
        'task.created',
        'task.created',
      ])
      assert.equal((await hook(other)).active, true)
      const { data } = (await wl.get('/v1/events?types=webhook.disabled')).body
      assert.ok([id, silent].every((each) => data.some((event: { data: { id: string } }) => event.data.id === each)))
    })

    it('is turned off after five days of failure, and says why', async () => {
      const { id } = await createHook()
      receiver.behave(answer(500))
      await createTask('never')
      await eventually(
        () => deliveries(id),
        ([delivery]) => delivery?.attempts === 1,
      )
      for (const hours of [1, 5, 10, 12, 15, 21, 25, 25]) {
        const before = receiver.received.length
        wl.passTime(hours * 3_600_000)
        await receiver.until(before + 1)
        // The next attempt is due after this one, which is written down later.
        await eventually(
          () => deliveries(id),
          ([delivery]) => delivery?.attempts === before + 1,
        )
        assert.equal((await hook(id)).active, true)
      }
      wl.passTime(25 * 3_600_000)
      await createTask('the last straw')
      const off = await eventually(
        () => hook(id),
        ({ active }) => !active,
      )
      assert.match(off.disabledReason, /failed for 5 days.*answered 500/)
    })

    it('is not harmed by an endless answer or a gzip bomb', async () => {
      const { id } = await createHook()
      let sentBytes = 0
      receiver.behave((response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' })
        const chunk = Buffer.alloc(65_536, 120)
        const pump = (): void => {
          while (!response.destroyed && sentBytes < 100_000_000) {
            sentBytes += chunk.length
            if (!response.write(chunk)) return void response.once('drain', pump)
          }
          response.end()
        }
        pump()
      })
      await createTask('bomb')
      const [done] = await eventually(
        () => deliveries(id),
        (list) => list.length === 1,
      )
      assert.equal(done.status, 'succeeded')
      assert.equal(done.responseBody, 'x'.repeat(1_024))
      assert.ok(sentBytes < 20_000_000, `${sentBytes} bytes were taken`)
    })

    it('lets a dead receiver delay no other', async (t) => {
      const dead = await startReceiver()
      t.after(() => dead.close())
      dead.behave(() => {})
      await createHook({ url: dead.url })
      await createHook({ url: dead.url })
      await createHook()
      const startedAt = performance.now()
      for (let i = 0; i < 10; i++) await createTask(`task ${i}`)
      await receiver.until(10)
      // One after the other, they would wait ten times three seconds for the dead one.
      assert.ok(performance.now() - startedAt < quietBoundMs(5_000))
    })

    it('pings', async () => {
      const { id } = await createHook()
      const { status, body, headers } = await wl.post(`/v1/webhooks/${id}/ping`, undefined)
      assert.equal(status, 202)
      const [first] = await receiver.until(1)
      assert.equal(first!.event.type, 'webhook.ping')
      assert.equal(first!.event.data.id, id)
      assert.equal(first!.headers['webhook-id'], body.data.eventId)
      const settled = await eventually(
        async () => (await wl.get(headers.location as string)).body.data,
        (delivery) => delivery.status === 'succeeded',
      )
      assert.equal(settled.sequence, null)
    })

    it('sends one delivery again, or a stretch of the log', async () => {
      const { id } = await createHook()
      for (let i = 0; i < 5; i++) await createTask(`task ${i}`)
      const firstFive = (await receiver.until(5)).map(({ event }) => event)
      const list = await eventually(
        () => deliveries(id),
        (all) => all.length === 5,
      )
      const again = await wl.post(`/v1/webhooks/${id}/deliveries/${list[4].id}/redeliver`, undefined)
      assert.equal(again.status, 202)
      assert.deepEqual((await receiver.until(6))[5]!.event, firstFive[0])
      const replayed = await wl.post(`/v1/webhooks/${id}/replay`, {
        fromSequence: firstFive[1].sequence,
        toSequence: firstFive[3].sequence,
      })
      assert.equal(replayed.status, 202)
      const received = await receiver.until(9)
      assert.deepEqual(
        received.slice(6).map(({ event }) => event),
        firstFive.slice(1, 4),
      )
      assert.equal(received[6]!.headers['webhook-id'], firstFive[1].id)
      await eventually(
        () => hook(id),
        ({ replay }) => replay === null,
      )
      const reasons = (await deliveries(id)).map(({ reason }: { reason: string }) => reason)
      assert.deepEqual(reasons.slice(0, 4), ['replay', 'replay', 'replay', 'redelivery'])
    })
  })
}
