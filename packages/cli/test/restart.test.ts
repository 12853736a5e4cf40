import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { send, testAdminKey } from 'worklore-testing/harness'
import { startProcess } from 'worklore-testing/real-process'
import { until } from 'worklore-testing/until'
import { freePort, userFor } from './wl.js'

/** The service as a process that can be ended and started again, and a user of it. */
const stage = async (test: TestContext) => {
  const store = await engines[0]!.createStore()
  const environment = { PORT: String(await freePort()) }
  let service = await startProcess(store, environment)
  const { baseUrl } = service
  const key = testAdminKey
  const user = userFor(test, { baseUrl, adminKey: key })
  test.after(async () => {
    await service.end('SIGKILL')
    await store.remove()
  })
  const post = async (path: string, body: object) => {
    const answer = await send(baseUrl, 'POST', path, { key, body })
    assert.ok(answer.status < 300, answer.text)
    return answer.body
  }
  await post('/v1/projects', { key: 'AWAY', name: 'Away' })
  return {
    user,
    addTask: (title: string) => post('/v1/tasks', { projectId: 'AWAY', title }),
    stop: (signal: NodeJS.Signals) => service.end(signal),
    start: async () => {
      service = await startProcess(store, environment)
    },
  }
}

/** What a process has printed, for tests that wait for some of it. */
const outputOf = (stream: NodeJS.ReadableStream) => {
  let text = ''
  stream.on('data', (chunk) => {
    text += chunk
  })
  return (part: string): Promise<unknown> =>
    until(
      async () => text,
      (now) => now.includes(part),
    ).then((now) => assert.ok(now.includes(part), now))
}

describe('wl while the service restarts', () => {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    it(`goes on waiting for a task and following the log after ${signal}`, async (test) => {
      const { user, addTask, stop, start } = await stage(test)
      const waiting = user.start(['next', '--claim', '--wait', '10m', '-p', 'AWAY', '-q'])
      const following = user.start(['log', '--follow', '-p', 'AWAY', '-n', '1'])
      const waitingSays = outputOf(waiting.child.stderr!)
      const logSays = outputOf(following.child.stdout!)
      await logSays('project.created')
      await stop(signal)
      // While it is away, which both of them have noticed.
      await waitingSays('Trying again for ')
      await start()
      await addTask('After the restart')
      const { code, stdout } = await waiting.ended
      assert.deepEqual([code, stdout], [0, 'AWAY-1\n'])
      await logSays('After the restart')
      following.child.kill('SIGINT')
      await following.ended
    })
  }

  it('begins to wait while the service is away, and ends with the deadline', async (test) => {
    const { user, addTask, stop, start } = await stage(test)
    await stop('SIGKILL')
    const early = user.start(['next', '--wait', '10m', '-p', 'AWAY', '-q'])
    await outputOf(early.child.stderr!)('Trying again for')
    await start()
    await addTask('Found')
    assert.deepEqual((await early.ended).stdout, 'AWAY-1\n')
    await stop('SIGKILL')
    const late = await user.run(['next', '--wait', '5s', '-p', 'AWAY'])
    assert.deepEqual([late.code, late.stdout], [6, ''])
    assert.match(late.stderr, /^Cannot reach .*Trying again for [0-4]s\.\nwl: Cannot reach [^\n]+\n$/)
  })

  it('passes messages of an MCP client on when the service is back', async (test) => {
    const { user, stop, start } = await stage(test)
    const { child, ended } = user.startOpen(['mcp'])
    const says = outputOf(child.stdout!)
    const call = (id: number, method: string, params: object = {}): void =>
      void child.stdin!.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    call(1, 'initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    })
    await says('"id":1')
    await stop('SIGKILL')
    call(2, 'tools/list')
    call(3, 'tools/call', { name: 'create_task', arguments: { project: 'AWAY', title: 'Once' } })
    await start()
    await says('"id":2')
    await says('"id":3')
    child.stdin!.end()
    const { code, stdout } = await ended
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.deepEqual([code, answers.length], [0, 3], stdout)
    assert.ok(
      answers.every(({ error }) => error === undefined),
      stdout,
    )
    assert.equal((await user.json('ls', '-p', 'AWAY')).data.length, 1)
  })
})
