import assert from 'node:assert/strict'
import { Agent, request as httpRequest } from 'node:http'
import { it } from 'node:test'
import { createProject, createTask } from 'worklore-testing/factories'
import type { TestService } from 'worklore-testing/harness'
import { exampleOf, fillPath, readOperations, type Schema } from 'worklore-testing/operations'
import { runCommand } from 'worklore-testing/program'
import { describeService } from 'worklore-testing/service-suite'
import { createScheduler, type Scheduler } from '../../src/scheduling/scheduler.js'

const atOnce = 64
/** A slice takes 10 ms, and the test's clock advances by 1 ms each time it is read. */
const turnsPerSlice = 10
/** A tenant may wait for one slice of the other tenant, one slice of the writer and the rest of the current slice. */
const maxTurnsBetween = 3 * turnsPerSlice

/** Wraps a scheduler whose clock advances only when it is read, and records the order in which groups got their turns. */
const createRecordedScheduler = () => {
  let timeMs = 0
  const inner = createScheduler(() => timeMs++)
  let given: string[] = []
  /** The most turns that other groups got while this group waited for one of its own. */
  const mostBetween = new Map<string, number>()

  const note = (group: string, askedAt: number): void => {
    const between = given.slice(askedAt).filter((other) => other !== group && other !== '').length
    mostBetween.set(group, Math.max(mostBetween.get(group) ?? 0, between))
    given.push(group)
  }
  const scheduler: Scheduler = {
    ...inner,
    turn: (group) => {
      const askedAt = given.length
      const turn = inner.turn(group)
      if (turn) return turn.then(() => note(group, askedAt))
      note(group, askedAt)
      return undefined
    },
    resume: async (group, work) => {
      let askedAt = given.length
      const noted = work.finally(() => {
        askedAt = given.length
      })
      try {
        return await inner.resume(group, noted)
      } finally {
        note(group, askedAt)
      }
    },
  }
  return {
    scheduler,
    reset: () => {
      given = []
      mostBetween.clear()
    },
    turnsOf: (group: string) => given.filter((other) => other === group).length,
    mostBetween: (group: string) => mostBetween.get(group) ?? 0,
    slices: () => inner.figures().slices,
  }
}

const agent = new Agent({ keepAlive: true, maxSockets: 2 * atOnce })

/** Sends a request and discards its response, which may be large. */
const fire = (wl: TestService, key: string, method: string, path: string, body?: unknown): Promise<number> =>
  new Promise((resolve, reject) => {
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
    const headers = {
      authorization: `Bearer ${key}`,
      accept: 'application/json, text/event-stream',
      ...(bytes && { 'content-type': 'application/json', 'content-length': bytes.length }),
    }
    const sent = httpRequest(`${wl.baseUrl}${path}`, { method, headers, agent }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode!))
    })
    sent.on('error', reject)
    sent.end(bytes)
  })

const recorded = createRecordedScheduler()

describeService(
  'continuations',
  (wl) => {
    /** Sends a request many times at once while another tenant reads, and checks that the turns were shared fairly. */
    const expectFair = async (besideKey: string, besideId: string, what: string, send: () => Promise<number>) => {
      recorded.reset()
      const before = recorded.slices()
      let isEnded = false
      const crowd = Promise.all(Array.from({ length: atOnce }, send)).finally(() => {
        isEnded = true
      })
      do assert.equal(await fire(wl, besideKey, 'GET', '/v1/projects'), 200)
      while (!isEnded)
      const statuses = await crowd
      const turns = recorded.turnsOf(wl.tenantId)
      assert.ok(turns >= atOnce, `${what}: ${turns} turns for ${atOnce} requests`)
      const slices = recorded.slices() - before
      assert.ok(slices >= turns / turnsPerSlice, `${what}: ${turns} turns in ${slices} slices`)
      assert.ok(recorded.turnsOf(besideId) > 0, `${what}: the other tenant got no turn`)
      const between = recorded.mostBetween(besideId)
      assert.ok(between <= maxTurnsBetween, `${what}: ${between} turns before one of the other tenant (${statuses[0]})`)
    }

    it('of every operation and every tool leave turns to another tenant', async (test) => {
      const created = await runCommand(wl.store, 'tenants', 'create', 'Beside', '--plan', 'self-hosted')
      const besideKey = JSON.parse(created).key.key as string
      const besideId = (await wl.get('/v1/me', { key: besideKey })).body.data.tenant.id as string
      const { id: projectId } = await createProject(wl)
      const { id: taskId } = await createTask(wl, projectId, { description: 'x y\n'.repeat(15_000) })
      for (let at = 0; at < 8; at++) await createTask(wl, projectId, { description: 'x y\n'.repeat(15_000) })
      for (let at = 0; at < 3; at++) await wl.put(`/v1/knowledge/large/${at}`, { content: 'x y\n'.repeat(250_000) })
      for (let at = 0; at < 5; at++) await wl.post(`/v1/tasks/${taskId}/comments`, { body: 'x y\n'.repeat(15_000) })
      const known: Record<string, string> = { projectId, taskId, key: 'large/0', id: taskId, project: projectId }

      const operations = (await readOperations(wl)).filter(({ id, isOpen }) => !isOpen && !unsafe.includes(id))
      for (const { id, method, template, body } of operations) {
        const path = fillPath(template, (name) => known[name] ?? 'x')
        const sent = body && exampleOf(body, known)
        await expectFair(besideKey, besideId, id, () => fire(wl, wl.adminKey, method, path, sent))
      }

      const rpc = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params })
      const listed = await wl.request('POST', '/mcp', {
        body: rpc('tools/list', {}),
        headers: { accept: 'application/json, text/event-stream' },
      })
      const tools = JSON.parse(/\{.*\}/s.exec(listed.text)![0]).result.tools as { name: string; inputSchema: Schema }[]
      for (const { name, inputSchema } of tools) {
        const message = rpc('tools/call', { name, arguments: exampleOf(inputSchema, known) })
        await expectFair(besideKey, besideId, name, () => fire(wl, wl.adminKey, 'POST', '/mcp', message))
      }
      test.diagnostic(`${operations.length} operations and ${tools.length} tools`)
      assert.ok(operations.length > 50 && tools.length > 10)
      agent.destroy()
    })
  },
  { scheduler: recorded.scheduler },
)

/** Operations that would revoke the tenant's only key, or delete records that other operations need. */
const unsafe = ['revokeKey', 'rotateKey', 'deleteProject', 'deleteTask', 'deleteKnowledge', 'pauseTenant']
