import { setTimeout as sleep } from 'node:timers/promises'
import type { Engine } from 'worklore-testing/engines'
import { type Answer, send, testAdminKey } from 'worklore-testing/harness'
import { startProcess } from 'worklore-testing/real-process'
import { systemClock } from '../../src/base/clock.js'
import { openDb } from '../../src/db/open.js'
import { createTenant } from '../../src/tenancy/tenants/service.js'
import { processorTimeOf } from './process-figures.js'

/** The service beside which one tenant measures what the requests of another take of its main thread. */
export interface BlockingMeter {
  /** Sends a request of the tenant whose requests are measured. */
  send(method: string, path: string, body?: unknown): Promise<Answer>
  /**
   * Runs requests of that tenant while the other one reads or writes. Answers the processor's time of the main thread
   * between a request of the other and its answer, at most.
   */
  measure(kind: 'get' | 'write', requests: () => Promise<unknown>): Promise<number>
  stop(): Promise<void>
}

const pauseMs = 4

export const startBlockingMeter = async (engine: Engine): Promise<BlockingMeter> => {
  const store = await engine.createPreparedStore()
  const node = await startProcess(store)
  const db = await openDb(store)
  const { key } = await createTenant(db, systemClock, { name: 'Beside', plan: 'self-hosted' })
  await db.close()
  const { baseUrl, pid } = node

  const beside = async (method: string, path: string, body?: unknown): Promise<number> => {
    const beforeNs = processorTimeOf(pid).ran
    const { status, text } = await send(baseUrl, method, path, { key: key.secret, ...(body !== undefined && { body }) })
    if (status >= 300) throw new Error(`${method} ${path} of the tenant beside: ${status} ${text}`)
    return (processorTimeOf(pid).ran - beforeNs) / 1e6
  }
  await beside('POST', '/v1/projects', { key: 'ACME', name: 'Acme' })
  await beside('POST', '/v1/tasks', { projectId: 'ACME', title: 'x' })

  const besides = {
    get: () => beside('GET', '/v1/tasks/ACME-1'),
    write: () => beside('PATCH', '/v1/tasks/ACME-1', { title: String(performance.now()) }),
  }

  return {
    send: (method, path, body) =>
      send(baseUrl, method, path, { key: testAdminKey, ...(body !== undefined && { body }) }),
    measure: async (kind, requests) => {
      let isOver = false
      const running = requests().finally(() => {
        isOver = true
      })
      let maxMs = 0
      while (!isOver) {
        maxMs = Math.max(maxMs, await besides[kind]())
        await sleep(pauseMs)
      }
      await running
      return maxMs
    },
    stop: async () => {
      await node.end('SIGKILL')
      await store.remove()
    },
  }
}
