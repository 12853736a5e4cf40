import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import postgres from 'postgres'
import { engines } from 'worklore-testing/engines'
import { expectStatus } from 'worklore-testing/expect'
import { send, testAdminKey } from 'worklore-testing/harness'
import { inLongRun, pauseInShortRun } from 'worklore-testing/long-run'
import { startPostgres } from 'worklore-testing/postgres-server'
import { startProcess } from 'worklore-testing/real-process'
import { until } from 'worklore-testing/until'

const key = testAdminKey
const writers = 8
/** Longer than the service waits for a server that stands still. */
const frozenMs = inLongRun(8_000, 20_000)

describe('a primary and its replica', () => {
  it('fail over without a lost write, a 500 or a restarted node', async (test) => {
    const primary = await startPostgres()
    test.after(primary.stop)
    const replica = await primary.startReplica()
    const folder = await engines[0]!.createStore()
    test.after(() => folder.remove())
    const hosts = [replica, primary].map(({ port }) => `127.0.0.1:${port}`).join(',')
    const databaseUrl = `postgres://worklore@${hosts}/postgres?target_session_attrs=read-write`
    const store = { ...folder, databaseUrl }
    const nodes = [await startProcess(store), await startProcess(store)] as const
    test.after(() => Promise.all(nodes.map((node) => node.end('SIGKILL'))))
    const [one, other] = nodes.map(({ baseUrl }) => baseUrl) as [string, string]
    expectStatus(await send(one, 'POST', '/v1/projects', { key, body: { key: 'ACME', name: 'Acme' } }), 201)

    let isOver = false
    const acknowledged = new Set<string>()
    const unexpected: string[] = []
    const writer = async (_: unknown, index: number): Promise<void> => {
      while (!isOver) {
        const answer = await send(nodes[index % 2]!.baseUrl, 'POST', '/v1/tasks', {
          key,
          body: { projectId: 'ACME', title: 'Written while the database fails', labels: ['load'] },
        })
        if (answer.status === 201) acknowledged.add(answer.body.data.id)
        else if (answer.status === 503) await pause(20)
        else unexpected.push(`${answer.status} ${answer.text}`)
        await pauseInShortRun()
      }
    }
    const load = Array.from({ length: writers }, writer)

    /** How long it takes until writes are acknowledged by both nodes again. */
    const recovery = async (): Promise<number> => {
      const sinceMs = performance.now()
      for (const baseUrl of [one, other]) {
        const body = { projectId: 'ACME', title: 'First after it', labels: ['load'] }
        const { status, body: answer } = await until(
          () => send(baseUrl, 'POST', '/v1/tasks', { key, body }),
          (last) => last.status === 201,
        )
        assert.equal(status, 201)
        acknowledged.add(answer.data.id)
      }
      return performance.now() - sinceMs
    }
    const disturb = async (name: string, disturbance: () => Promise<unknown>): Promise<void> => {
      await disturbance()
      test.diagnostic(`${name}: writes again after ${Math.round(await recovery())} ms`)
    }

    await disturb('all connections terminated', async () => {
      const sql = postgres(primary.url, { max: 1 })
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where pid <> pg_backend_pid() and backend_type = 'client backend'`
      await sql.end()
    })
    await disturb('restarted', async () => {
      await primary.pause()
      await primary.start()
    })
    await disturb(`stopped for ${frozenMs} ms`, async () => {
      process.kill(primary.pid(), 'SIGSTOP')
      await pause(frozenMs)
      process.kill(primary.pid(), 'SIGCONT')
    })
    await primary.kill()
    const readiness = () => send(one, 'GET', '/readyz')
    // A backend that was at work outlives the server for a moment.
    expectStatus(await until(readiness, ({ status }) => status === 503), 503)
    await disturb('replica promoted', replica.promote)
    expectStatus(await readiness(), 200)
    isOver = true
    await Promise.all(load)

    assert.deepEqual(unexpected, [])
    const sql = postgres(replica.url, { max: 1 })
    const rows = await sql`select id from tasks`
    await sql.end()
    const kept = new Set(rows.map(({ id }) => id))
    const lost = [...acknowledged].filter((id) => !kept.has(id))
    test.diagnostic(`${acknowledged.size} acknowledged, ${lost.length} lost`)
    assert.deepEqual(lost, [])

    // Nodes hear of each other's commits by the new primary.
    const waiting = send(other, 'POST', '/v1/tasks/next', { key, body: { label: 'awaited', waitSeconds: 30 } })
    await pause(500)
    const body = { projectId: 'ACME', title: 'Awaited', labels: ['awaited'] }
    const { body: created } = expectStatus(await send(one, 'POST', '/v1/tasks', { key, body }), 201)
    assert.equal((await waiting).body.data.id, created.data.id)
  })
})
