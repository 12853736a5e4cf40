import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { testAdminKey as key, send } from 'worklore-testing/harness'
import { inLongRun } from 'worklore-testing/long-run'
import { startProcess } from 'worklore-testing/real-process'
import { hasProcessFigures, processorTimeOf } from '../hostile/process-figures.js'

const requests = inLongRun(100, 400)
const maxTimes = 12

describe('a call by MCP', { skip: !hasProcessFigures && 'needs the figures of Linux' }, () => {
  it(`takes at most ${maxTimes} times the processor time of the same read by HTTP`, async (test) => {
    const store = await engines[0]!.createStore()
    const service = await startProcess(store)
    test.after(async () => {
      await service.end('SIGTERM')
      await store.remove()
    })
    await send(service.baseUrl, 'POST', '/v1/projects', { key, body: { key: 'ACME', name: 'Acme' } })
    await send(service.baseUrl, 'POST', '/v1/tasks', { key, body: { projectId: 'ACME', title: 'Fix the login' } })
    const byHttp = () => send(service.baseUrl, 'GET', '/v1/tasks/ACME-1', { key })
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'get_task', arguments: { id: 'ACME-1' } },
    }
    const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' }
    const byMcp = () => send(service.baseUrl, 'POST', '/mcp', { key, body: message, headers })
    const timeOf = async (read: typeof byHttp): Promise<number> => {
      for (let at = 0; at < requests; at++) assert.equal((await read()).status, 200)
      const { ran } = processorTimeOf(service.pid)
      for (let at = 0; at < requests; at++) await read()
      return processorTimeOf(service.pid).ran - ran
    }
    const [http, mcp] = [await timeOf(byHttp), await timeOf(byMcp)]
    test.diagnostic(`${(mcp / http).toFixed(1)} times: ${mcp / requests / 1e6} ms against ${http / requests / 1e6} ms`)
    assert.ok(mcp <= maxTimes * http, `${mcp / http} times`)
  })
})
