import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { it, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createKey, createProject, createTask } from 'worklore-testing/factories'
import { describeClient } from 'worklore-testing/service-suite'
import { until } from 'worklore-testing/until'
import { type GitHubStub, startGitHubStub, stubToken } from './stub/github.js'

const program = fileURLToPath(new URL('../../bin/wl-github.cjs', import.meta.url))
const wl = fileURLToPath(new URL('../../../cli/bin/wl.cjs', import.meta.url))
const secret = 'a-secret'

interface Started {
  child: ChildProcess
  outcome: { stdout: string; stderr: string }
  ended: Promise<number | null>
}

describeClient('the command wl-github', (tenant) => {
  const start = (
    stub: GitHubStub,
    words: string[],
    env: Record<string, string> = {},
    command: string[] = [program],
  ): Started => {
    const child = spawn(process.execPath, [...command, ...words], {
      env: {
        ...{ PATH: process.env.PATH, WORKLORE_URL: tenant.baseUrl, WORKLORE_KEY: tenant.adminKey },
        ...{ GITHUB_TOKEN: stubToken, GITHUB_API_URL: stub.baseUrl, GITHUB_WEBHOOK_SECRET: secret },
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const outcome = { stdout: '', stderr: '' }
    child.stdout!.on('data', (chunk) => {
      outcome.stdout += chunk
    })
    child.stderr!.on('data', (chunk) => {
      outcome.stderr += chunk
    })
    return { child, outcome, ended: new Promise((resolve) => child.once('close', resolve)) }
  }

  const stubFor = async (test: TestContext, repo: string): Promise<GitHubStub> => {
    const stub = await startGitHubStub({ repo })
    test.after(stub.stop)
    return stub
  }

  it('tells what it did, for people and for programs', async (test) => {
    const stub = await stubFor(test, 'acme/told')
    await createProject(tenant, { key: 'TOLD' })
    stub.create({ title: 'An \u001b[31missue' })
    const dry = start(stub, ['sync', 'Acme/Told', '-p', 'TOLD', '--dry-run'], {}, [wl, 'github'])
    assert.equal(await dry.ended, 0, dry.outcome.stderr)
    assert.equal(dry.outcome.stdout, 'would: task.created #1 An \ufffd[31missue\nWould do: 1 task created.\n')
    const real = start(stub, ['sync', 'acme/told', '-p', 'TOLD', '--json'])
    assert.equal(await real.ended, 0, real.outcome.stderr)
    const lines = real.outcome.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.deepEqual(lines.map(({ action, issue, task }) => [action, issue, task])[0], ['task.created', 1, 'TOLD-1'])
    assert.deepEqual(lines.at(-1), { summary: { 'task.created': 1 }, refused: 0, outstanding: 0 })
    const again = start(stub, ['sync', 'acme/told', '-p', 'TOLD'])
    assert.equal(await again.ended, 0)
    assert.match(again.outcome.stdout, /^Nothing to do/)
  })

  it('ends with a code that says what was wrong', async (test) => {
    const stub = await stubFor(test, 'acme/codes')
    await createProject(tenant, { key: 'CODES' })
    const codeOf = (words: string[], env?: Record<string, string>) => start(stub, words, env).ended
    assert.equal(await codeOf(['--help']), 0)
    assert.equal(await codeOf(['sync', 'acme', '-p', 'CODES']), 2)
    assert.equal(await codeOf(['sync', 'acme/codes', '-p', 'CODES', '--interval', '1']), 2)
    assert.equal(await codeOf(['sync', 'acme/codes', '-p', 'CODES', '--renamed-from', 'former']), 2)
    assert.equal(await codeOf(['sync', 'acme/other', '-p', 'CODES']), 3)
    const missing = start(stub, ['sync', 'acme/codes', '-p', 'NONE', '--json'])
    assert.equal(await missing.ended, 3)
    assert.equal(JSON.parse(missing.outcome.stdout).exitCode, 3)
    const page = createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'))
    await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve))
    test.after(() => page.close())
    const pageUrl = `http://127.0.0.1:${(page.address() as AddressInfo).port}`
    assert.equal(await codeOf(['sync', 'acme/codes', '-p', 'CODES'], { GITHUB_API_URL: pageUrl }), 6)
    assert.equal(await codeOf(['sync', 'acme/codes', '-p', 'CODES', '--user', 'x=nobody']), 2)
    assert.equal(await codeOf(['sync', 'acme/codes', '-p', 'CODES', '--on-merge', 'nonsense']), 2)
    assert.equal(await codeOf(['sync', 'acme/codes', '-p', 'CODES'], { GITHUB_TOKEN: 'wrong' }), 4)
    assert.equal(await codeOf(['sync', 'acme/codes', '-p', 'CODES'], { GITHUB_TOKEN: '' }), 4)
    assert.equal(await codeOf(['sync', 'acme/codes', '-p', 'CODES'], { WORKLORE_KEY: '' }), 4)
    assert.equal(await codeOf(['sync', 'acme/codes', '-p', 'CODES', '--label', '']), 2)
    const created = stub.create({ title: 'Closed later' })
    assert.equal(await codeOf(['sync', 'acme/codes', '-p', 'CODES']), 0)
    await tenant.patch('/v1/tasks/CODES-1', { checks: [{ text: 'It works' }] })
    stub.edit(created.number, { state: 'closed', reason: 'completed' })
    assert.equal(await codeOf(['sync', 'acme/codes', '-p', 'CODES']), 5)
  })

  it('keeps a repository in step with one project where two processes begin at once', async (test) => {
    const stub = await stubFor(test, 'acme/twice')
    for (const key of ['TWICEA', 'TWICEB']) await createProject(tenant, { key })
    const { key } = await createKey(tenant, { scopes: ['tasks:write', 'knowledge:write'] })
    for (const title of ['One', 'Two', 'Three']) stub.create({ title })
    const runs = [
      start(stub, ['sync', 'acme/twice', '-p', 'TWICEA']),
      start(stub, ['sync', 'acme/twice', '-p', 'TWICEB'], { WORKLORE_KEY: key }),
    ]
    const codes = await Promise.all(runs.map(({ ended }) => ended))
    assert.deepEqual(codes.sort(), [0, 2])
    assert.match(
      runs.map(({ outcome }) => outcome.stderr).join(''),
      /acme\/twice is already synced with project TWICE[AB]/,
    )
    const { body } = await tenant.get('/v1/tasks?limit=100')
    const ids = body.data.map(({ externalId }: { externalId: string }) => externalId)
    assert.equal(ids.filter((id: string | null) => id?.startsWith('acme/twice#')).length, 3)
  })

  it('lets others go on where Ctrl-C ends it in the middle of a write', async (test) => {
    const stub = await stubFor(test, 'acme/ended')
    const { id } = await createProject(tenant, { key: 'ENDED' })
    stub.create({ title: 'One' })
    const words = ['sync', 'acme/ended', '-p', 'ENDED']
    assert.equal(await start(stub, words).ended, 0)
    const leaseOf = async (): Promise<unknown> => {
      const { body } = await tenant.get(`/v1/knowledge/.github%2Facme%2Fended?projectId=${id}`)
      return JSON.parse(body.data.content).lease
    }
    await tenant.patch('/v1/tasks/ENDED-1', { title: 'Two' })
    let leaseDuring: unknown
    let isAnswered: (() => void) | undefined
    const run = start(stub, words)
    test.after(() => run.child.kill('SIGKILL'))
    stub.onRequest(async (method) => {
      if (method !== 'PATCH') return
      stub.onRequest(() => undefined)
      leaseDuring = await leaseOf()
      run.child.kill('SIGINT')
      await new Promise<void>((resolve) => {
        isAnswered = resolve
      })
    })
    assert.equal(await run.ended, 130, run.outcome.stderr)
    isAnswered?.()
    assert.ok(leaseDuring)
    assert.equal(await leaseOf(), undefined)
    assert.equal(await start(stub, words).ended, 0)
    assert.equal(stub.issues.get(1)?.title, 'Two')
  })

  it('gives up where the service is away, and waits with --watch', async (test) => {
    const stub = await stubFor(test, 'acme/away')
    await createProject(tenant, { key: 'AWAY' })
    const closed = createServer()
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve))
    const env = { WORKLORE_URL: `http://127.0.0.1:${(closed.address() as AddressInfo).port}` }
    await new Promise((resolve) => closed.close(resolve))
    const words = ['sync', 'acme/away', '-p', 'AWAY']
    const once = start(stub, words, env)
    const watching = start(stub, [...words, '--watch'], env)
    const interrupted = start(stub, words, env)
    for (const { child } of [once, watching, interrupted]) test.after(() => child.kill('SIGKILL'))
    const said = ({ outcome }: Started, text: string): Promise<string> =>
      until(
        async () => outcome.stderr,
        (stderr) => stderr.includes(text),
      )
    await said(interrupted, 'Waiting')
    interrupted.child.kill('SIGINT')
    assert.equal(await interrupted.ended, 130)
    assert.match(interrupted.outcome.stdout, /^Interrupted: nothing was done/)
    await said(watching, 'Trying again in 10 s.')
    watching.child.kill('SIGINT')
    assert.equal(await watching.ended, 0)
    assert.match(watching.outcome.stdout, /^Interrupted: nothing was done/)
    await said(once, 'wl: ')
    assert.equal(await once.ended, 6)
  })

  it('follows both sides until Ctrl-C', async (test) => {
    const stub = await stubFor(test, 'acme/watch')
    const project = await createProject(tenant, { key: 'WATCH' })
    const words = [
      'sync',
      'acme/watch',
      '-p',
      'WATCH',
      '--watch',
      '--interval',
      '3600',
      '--webhook-port',
      '0',
      '--json',
    ]
    const { child, outcome, ended } = start(stub, words)
    test.after(() => child.kill('SIGKILL'))
    await until(
      async () => outcome.stderr,
      (said) => said.includes('Listening'),
    )
    const port = /:(\d+)\n/.exec(outcome.stderr)![1]
    const task = await createTask(tenant, project.id, { title: 'From here' })
    await until(
      async () => stub.issues.get(1)?.body,
      (body) => body?.includes(task.id) === true,
    )
    assert.equal(stub.issues.get(1)?.title, 'From here')

    const { number } = stub.create({ title: 'From there' })
    const body = JSON.stringify({ action: 'opened', repository: { full_name: 'acme/watch' }, issue: { number } })
    const deliver = async (signature: string): Promise<number> => {
      const headers = { 'x-hub-signature-256': signature, 'x-github-event': 'issues' }
      return (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers })).status
    }
    assert.equal(await deliver(`sha256=${createHmac('sha256', 'another').update(body).digest('hex')}`), 401)
    assert.equal(await deliver(''), 401)
    assert.equal(await deliver(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`), 202)
    const found = await until(
      async () => (await tenant.get('/v1/tasks?externalId=acme/watch%232')).body.data,
      (tasks) => tasks.length === 1,
    )
    assert.equal(found[0]?.title, 'From there')
    child.kill('SIGINT')
    assert.equal(await ended, 0, outcome.stderr)
    assert.equal(JSON.parse(outcome.stdout.trim().split('\n').at(-1)!).summary['issue.created'], 1)
  })
})
