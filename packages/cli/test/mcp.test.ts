import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { startService, type TestService } from 'worklore-testing/harness'
import { program } from './wl.js'

interface Outcome {
  code: number
  stdout: string
  stderr: string
}

describe('wl mcp', () => {
  let wl: TestService
  before(async () => {
    wl = await startService(engines[0]!)
  })
  after(() => wl.stop())

  const bridge = (lines: string[], environment: Record<string, string>): Promise<Outcome> =>
    new Promise((resolve) => {
      const child = spawn(process.execPath, [program, 'mcp'], {
        env: { PATH: process.env.PATH ?? '', TMPDIR: tmpdir(), XDG_CONFIG_HOME: tmpdir(), ...environment },
      })
      const outcome: Outcome = { code: -1, stdout: '', stderr: '' }
      child.stdout.on('data', (chunk) => {
        outcome.stdout += chunk
      })
      child.stderr.on('data', (chunk) => {
        outcome.stderr += chunk
      })
      child.on('close', (code) => resolve({ ...outcome, code: code ?? -1 }))
      child.stdin.end(lines.join('\n'))
    })

  const initialize = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  })
  const initialized = '{"jsonrpc":"2.0","method":"notifications/initialized"}'
  const list = '{"jsonrpc":"2.0","id":"a","method":"tools/list"}'

  it('passes messages on both ways, and loads nothing of a database', async (test) => {
    const report = mkdtempSync(join(tmpdir(), 'worklore-test-'))
    test.after(() => rmSync(report, { recursive: true }))
    const environment = { WORKLORE_URL: `${wl.baseUrl}/`, WORKLORE_KEY: wl.adminKey, NODE_V8_COVERAGE: report }
    const { code, stdout, stderr } = await bridge([initialize, initialized, list, 'no json'], environment)
    assert.equal(code, 0, stderr)
    const messages = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.equal(messages.length, 3, stdout)
    assert.equal(messages[0].result.protocolVersion, '2025-06-18')
    assert.equal(messages.find(({ id }) => id === 'a').result.tools.length, 13)
    assert.equal(messages.find(({ id }) => id === null).error.code, -32_700)
    const loaded = readdirSync(report).flatMap((file) =>
      JSON.parse(readFileSync(join(report, file), 'utf8')).result.map(({ url }: { url: string }) => url),
    )
    assert.ok(loaded.some((url) => url.endsWith('/bundle/mcp.cjs')))
    const unwanted = loaded.filter((url) =>
      /\/src\/(db|mcp)\/|photostructure|node_modules\/(postgres|@model)/.test(url),
    )
    assert.deepEqual(unwanted, [])
  })

  it('answers where the service refuses or is away', async () => {
    const refused = await bridge([list], { WORKLORE_URL: wl.baseUrl, WORKLORE_KEY: 'wrong' })
    assert.match(JSON.parse(refused.stdout).error.message, /^UNAUTHORIZED: /)
    const away = await bridge([list], { WORKLORE_URL: 'http://127.0.0.1:1', WORKLORE_KEY: 'x' })
    assert.match(JSON.parse(away.stdout).error.message, /^Cannot reach http:\/\/127\.0\.0\.1:1\/mcp .*WORKLORE_URL/)
    const wrong: [Record<string, string>, code: number, message: RegExp][] = [
      [{ WORKLORE_URL: wl.baseUrl }, 4, /^wl: No API key for .*WORKLORE_KEY\.\n$/],
      [{ WORKLORE_URL: wl.baseUrl, WORKLORE_KEY: 'a\nb' }, 2, /^wl: The key contains spaces or other characters/],
      [{ WORKLORE_URL: 'ftp://127.0.0.1', WORKLORE_KEY: 'x' }, 2, /^wl: "ftp:\/\/127\.0\.0\.1" is not an http/],
    ]
    for (const [environment, code, message] of wrong) {
      const outcome = await bridge([], environment)
      assert.equal(outcome.code, code)
      assert.match(outcome.stderr, message)
    }
  })

  it('asks again where a gateway says that the service is away, but makes no change twice', async (test) => {
    const received: string[] = []
    const gateway = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      const { id, method } = JSON.parse(body)
      received.push(method)
      if (received.filter((each) => each === method).length <= 2) response.writeHead(502).end()
      else
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(`{"jsonrpc":"2.0","id":"${id}","result":{}}`)
    })
    gateway.listen(0, '127.0.0.1')
    await once(gateway, 'listening')
    test.after(() => gateway.close())
    const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`
    const call = '{"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":"create_task","arguments":{}}}'
    const { stdout } = await bridge([list, call], { WORKLORE_URL: url, WORKLORE_KEY: 'x' })
    const answers = new Map(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
        .map((each) => [each.id, each]),
    )
    assert.deepEqual(answers.get('a').result, {})
    assert.equal(answers.get('b').error.message, 'HTTP 502')
    assert.deepEqual(received.sort(), ['tools/call', 'tools/list', 'tools/list', 'tools/list'])
  })

  it('takes the address of /mcp, and every character that a message may have', async () => {
    const separators = '{"jsonrpc":"2.0","id":"\u2028\u2029","method":"ping"}\r'
    const environment = { WORKLORE_URL: `${wl.baseUrl}/mcp`, WORKLORE_KEY: wl.adminKey }
    const { stdout } = await bridge([separators, '', ' '], environment)
    assert.equal(JSON.parse(stdout).id, '\u2028\u2029')
  })

  it('is what server.json tells the MCP registry to run', async () => {
    const read = (path: string) => JSON.parse(readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8'))
    const { name, description, version, packages } = read('server.json')
    const manifest = read('packages/cli/package.json')
    assert.deepEqual([name, version], [manifest.mcpName, manifest.version])
    assert.ok(description.length <= 100)
    const [one, ...others] = packages
    assert.deepEqual([one.identifier, one.version, others], [manifest.name, manifest.version, []])
    const values: Record<string, string> = { WORKLORE_URL: wl.baseUrl, WORKLORE_KEY: wl.adminKey }
    const needed = one.environmentVariables.map((each: { name: string }) => each.name)
    assert.deepEqual(needed, Object.keys(values))
    assert.deepEqual(one.packageArguments, [{ type: 'positional', value: 'mcp' }])
    const { stdout } = await bridge([list], values)
    assert.equal(JSON.parse(stdout).result.tools.length, 13)
  })

  it('ends when its client does', async () => {
    const env = { PATH: process.env.PATH, TMPDIR: tmpdir(), WORKLORE_URL: wl.baseUrl, WORKLORE_KEY: wl.adminKey }
    const child = spawn(process.execPath, [program, 'mcp'], { env })
    let stderr = ''
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    child.stdout.destroy()
    child.stdin.write(`${list}\n`)
    const [code] = await once(child, 'close')
    assert.deepEqual([code, stderr], [0, ''])
  })

  it('answers whoever waits, whatever is wrong with a message', async () => {
    const message = (id: number, args: string, method = 'tools/call') =>
      `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":{"name":"add_comment","arguments":${args}}}`
    const lines = [
      message(1, '{"id":"ACME-1","text":"\\u0000"}'),
      message(2, '{"id":"ACME-1","text":"\\ud800"}'),
      message(3, `{"id":"ACME-1","text":[${'1,'.repeat(20_001)}1]}`),
      message(4, `{"id":"ACME-1","text":"${'x'.repeat(5_000_000)}"}`),
      message(5, `{"id":"ACME-1","text":"${'x'.repeat(30_000_000)}"}`),
    ]
    const { stdout } = await bridge(lines, { WORKLORE_URL: wl.baseUrl, WORKLORE_KEY: wl.adminKey })
    const answers = new Map(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
        .map((answer) => [answer.id, answer]),
    )
    for (const id of [1, 2, 3]) {
      const { result } = answers.get(id)
      assert.equal(result.isError, true)
      assert.match(result.content[0].text, /^VALIDATION_ERROR: Invalid arguments: /)
    }
    for (const id of [4, 5]) assert.match(answers.get(id).error.message, /^PAYLOAD_TOO_LARGE: /)
  })
})
