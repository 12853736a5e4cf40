import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { send, testAdminKey } from 'worklore-testing/harness'
import { inLongRun } from 'worklore-testing/long-run'
import { type RealProcess, startProcess } from 'worklore-testing/real-process'
import { startReceiver } from 'worklore-testing/receiver'

/** `WORKLORE_TEST_CHANGES=10000 npm test -- webhooks/nodes` is the full measure. */
const changes = Number(process.env.WORKLORE_TEST_CHANGES ?? inLongRun(150, 500))
const writers = 12
const key = testAdminKey
const environment = {
  WORKLORE_ADMIN_KEY: testAdminKey,
  WORKLORE_PLAN: 'self-hosted',
  WORKLORE_WEBHOOK_ALLOW: '127.0.0.0/8',
  WORKLORE_POOL_SIZE: '8',
}

/** Reads the feed all the while, as a client does, and answers every sequence it saw. */
const followFeed = async (url: string, isOver: (after: number) => boolean): Promise<number[]> => {
  const seen: number[] = []
  for (let after = 0; !isOver(after); ) {
    const { status, body } = await send(url, 'GET', `/v1/events?after=${after}&limit=200&wait=1`, { key })
    assert.equal(status, 200)
    seen.push(...body.data.map(({ sequence }: { sequence: number }) => sequence))
    after = body.pagination.nextAfter
  }
  return seen
}

describe('three nodes on one store', () => {
  it(`deliver ${changes} changes: none missing from the webhooks or from a feed, though a node dies`, async (t) => {
    const store = await engines.find(({ name }) => name === 'postgres')!.createPreparedStore()
    t.after(() => store.remove())
    const nodes: RealProcess[] = []
    t.after(() => Promise.all(nodes.map((node) => node.end('SIGKILL'))))
    for (let i = 0; i < 3; i++) nodes.push(await startProcess(store, environment))
    const [first, second, third] = nodes as [RealProcess, RealProcess, RealProcess]
    const receivers = [await startReceiver(), await startReceiver()]
    t.after(() => Promise.all(receivers.map((receiver) => receiver.close())))
    const post = (node: RealProcess, path: string, body: object) => send(node.baseUrl, 'POST', path, { key, body })
    await post(first, '/v1/projects', { key: 'ACME', name: 'Acme' })
    for (const { url } of receivers) await post(second, '/v1/webhooks', { url, events: ['task.*'] })

    let last = Number.POSITIVE_INFINITY
    const following = followFeed(second.baseUrl, (after) => after >= last)
    let begun = 0
    let isThirdAlive = true
    let killed: Promise<unknown> | undefined
    const made: string[] = []
    const write = async (writer: number): Promise<void> => {
      while (begun < changes) {
        const count = ++begun
        if (count === Math.floor(changes / 2)) {
          isThirdAlive = false
          killed = third.end('SIGKILL')
        }
        const node = isThirdAlive ? nodes[(writer + count) % 3]! : nodes[(writer + count) % 2]!
        // The answer of a node that dies is lost, not what it committed.
        const answer = await post(node, '/v1/tasks', { projectId: 'ACME', title: `task ${count}` }).catch(
          () => undefined,
        )
        if (answer?.status === 201) made.push(answer.body.data.id)
      }
    }
    await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)))
    await killed
    last = (await send(first.baseUrl, 'GET', '/v1/events?after=latest', { key })).body.pagination.nextAfter

    const seen = await following
    assert.deepEqual(
      seen,
      Array.from({ length: last }, (_, i) => i + 1),
    )
    for (const receiver of receivers) {
      const ids = () => new Set(receiver.received.map(({ event }) => event.data.id))
      // A node that died held its webhooks for up to 15 s. What it committed without an answer arrives too, so that a
      // count would not tell whether all others have.
      await receiver.until(() => {
        const arrived = ids()
        return made.every((id) => arrived.has(id))
      })
      const repeats = receiver.received.length - ids().size
      assert.ok(repeats <= 100, `${repeats} were sent again`)
    }
    for (const node of [first, second]) assert.equal(await node.end('SIGTERM'), 0)
  })
})
