import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { engines } from 'worklore-testing/engines'
import { startService, type TestService } from 'worklore-testing/harness'
import { createConformanceOptions } from './conformance-fixtures.js'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))
const suite = join(root, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
const shim = fileURLToPath(new URL('./node-22-shim.js', import.meta.url))

interface Check {
  id: string
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
  errorMessage?: string
}

/** Adds the key, which the suite has no way to send. */
const startProxy = (wl: TestService): Promise<Server> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(wl.baseUrl)
    const proxy = createServer((incoming, answer) => {
      const headers = { ...incoming.headers, authorization: `Bearer ${wl.adminKey}` }
      const { method, url: path } = incoming
      const outgoing = request({ hostname, port, method, path, headers, agent: false }, (received) => {
        answer.writeHead(received.statusCode!, received.headers)
        received.pipe(answer)
      })
      outgoing.on('error', () => answer.destroy())
      answer.on('close', () => outgoing.destroy())
      incoming.pipe(outgoing)
    })
    proxy.listen(0, '127.0.0.1', () => resolve(proxy))
  })

describe('the official conformance suite', () => {
  let wl: TestService
  let proxy: Server
  let results: string
  before(async () => {
    wl = await startService(engines[0]!, { mcp: createConformanceOptions() })
    proxy = await startProxy(wl)
    results = mkdtempSync(join(tmpdir(), 'worklore-conformance-'))
  })
  after(async () => {
    proxy.closeAllConnections()
    proxy.close()
    await wl.stop()
    rmSync(results, { recursive: true })
  })

  const run = async (revision: string, scenarios: 'active' | 'all'): Promise<Map<string, Check[]>> => {
    const folder = join(results, revision)
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`
    const words = ['server', '--url', url, '--spec-version', revision, '--suite', scenarios, '--output-dir', folder]
    await new Promise((resolve) =>
      execFile(process.execPath, ['--import', shim, suite, ...words], { maxBuffer: 2 ** 26 }, resolve),
    )
    const checks = new Map<string, Check[]>()
    for (const name of readdirSync(folder)) {
      // The folder of a scenario is `server-<scenario>-<time>`.
      const [, scenario] = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(name)!
      checks.set(scenario!, JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8')))
    }
    return checks
  }

  const failuresOf = (checks: ReadonlyMap<string, Check[]>): string[] =>
    [...checks].flatMap(([scenario, found]) =>
      found
        .filter(({ status }) => status === 'FAILURE')
        .map(({ id, errorMessage }) => `${scenario} ${id}: ${errorMessage}`),
    )

  const successesOf = (checks: ReadonlyMap<string, Check[]>): number =>
    [...checks.values()].flat().filter(({ status }) => status === 'SUCCESS').length

  it('passes in all scenarios of the current revision', async () => {
    const checks = await run('2026-07-28', 'all')
    assert.deepEqual(failuresOf(checks), [])
    assert.equal(checks.size, 40)
    assert.ok(successesOf(checks) >= 152, `${successesOf(checks)} checks`)
  })

  /** They need the server to send requests of its own, which a server without sessions cannot. */
  const needSessions = [
    'elicitation-sep1034-defaults',
    'elicitation-sep1330-enums',
    'tools-call-elicitation',
    'tools-call-sampling',
  ]

  it('passes in all active scenarios of 2025-11-25 that need no request from the server', async () => {
    const checks = await run('2025-11-25', 'active')
    for (const scenario of needSessions) assert.ok(checks.delete(scenario), scenario)
    assert.deepEqual(failuresOf(checks), [])
    assert.equal(checks.size, 27)
  })
})
