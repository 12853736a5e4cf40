import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { expectStatus } from 'worklore-testing/expect'
import type { Answer } from 'worklore-testing/harness'
import { pauseInShortRun } from 'worklore-testing/long-run'
import { until } from 'worklore-testing/until'
import { postgres, sendAnew, startProcesses } from './processes.js'

const clients = 6

describe('a process that dies', () => {
  it('is replaced, while the others serve, and takes no acknowledged write with it', async (test) => {
    const store = await postgres.createPreparedStore()
    test.after(() => store.remove())
    const node = await startProcesses(store, 2)
    test.after(() => node.end('SIGKILL'))
    expectStatus(await sendAnew(node, 'POST', '/v1/projects', { body: { key: 'ACME', name: 'Acme' } }), 201)

    let isOver = false
    const created: string[] = []
    const unexpected: string[] = []
    let cut = 0
    const client = async (): Promise<void> => {
      while (!isOver) {
        const body = { projectId: 'ACME', title: 'Written while processes die' }
        const answer: Answer | undefined = await sendAnew(node, 'POST', '/v1/tasks', { body }).catch(() => undefined)
        if (answer === undefined) cut++
        else if (answer.status === 201) created.push(answer.body.data.id)
        else unexpected.push(answer.text)
        await pauseInShortRun()
      }
    }
    const load = Array.from({ length: clients }, client)
    for (const round of [1, 2, 3]) {
      await until(
        async () => created.length,
        (count) => count > round * 20,
      )
      process.kill(node.served().at(-1)!, 'SIGKILL')
      await until(
        async () => node.served().length,
        (serving) => serving === 2 + round,
      )
    }
    isOver = true
    await Promise.all(load)
    test.diagnostic(`${created.length} tasks created, ${cut} requests cut off by three kills`)
    assert.deepEqual(unexpected, [])
    // Each kill cuts off what its process was doing, and nothing else.
    assert.ok(cut <= 3 * clients)
    for (const id of created) expectStatus(await sendAnew(node, 'GET', `/v1/tasks/${id}`), 200)
    assert.match(node.output(), /"signal":"SIGKILL","msg":"process ended; another one starts in 100 ms"/)
    assert.match(node.output(), /another one starts in 200 ms/)
    assert.equal(await node.end('SIGTERM'), 0, node.output())
  })

  it('is tried again while the database is away, by a supervisor that stays', async (test) => {
    const store = await postgres.createPreparedStore()
    const node = await startProcesses(store, 2)
    test.after(() => node.end('SIGKILL'))
    await store.remove()
    process.kill(node.served()[0]!, 'SIGKILL')
    await until(
      async () => node.output(),
      (output) => /starts in 400 ms/.test(output),
    )
    expectStatus(await sendAnew(node, 'GET', '/healthz'), 200)
    assert.equal(await node.end('SIGTERM'), 0, node.output())
  })
})
