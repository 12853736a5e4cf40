import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { engines } from '../engines.js'
import { createProject, createTask, putItem } from '../factories.js'
import { startService, type TestService } from '../harness.js'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))
const inspector = join(root, 'node_modules/@modelcontextprotocol/inspector/clients/cli/build/index.js')
const runner = fileURLToPath(new URL('./inspector-calls.js', import.meta.url))
const program = join(root, 'packages/cli/bin/wl.cjs')

describe('the official Inspector', { concurrency: 2 }, () => {
  let wl: TestService
  let home: string
  before(async () => {
    wl = await startService(engines[0]!)
    home = mkdtempSync(join(tmpdir(), 'worklore-inspector-'))
    await createProject(wl, { key: 'INSP' })
    for (let at = 0; at < 4; at++) await createTask(wl, 'INSP')
    await putItem(wl, 'insp/note', 'A note')
  })
  after(async () => {
    await wl.stop()
    rmSync(home, { recursive: true })
  })

  /** What the Inspector prints for each list of words. */
  const run = (calls: string[][]): Promise<string[]> =>
    new Promise((resolve, reject) => {
      const env = { PATH: process.env.PATH, HOME: home, TMPDIR: tmpdir() }
      const words = [runner, inspector, JSON.stringify(calls)]
      execFile(process.execPath, words, { env, maxBuffer: 2 ** 24 }, (error, stdout, stderr) => {
        if (error) reject(new Error(`${stdout}${stderr}`))
        else resolve(stdout.split('\0').slice(0, -1))
      })
    })

  /** One task for each of the two ways, since a claim is given once. */
  const ways = [
    {
      name: 'HTTP',
      task: 'INSP-1',
      to: () => [
        '--transport',
        'http',
        '--server-url',
        `${wl.baseUrl}/mcp`,
        '--header',
        `Authorization: Bearer ${wl.adminKey}`,
      ],
    },
    {
      name: 'the bridge',
      task: 'INSP-2',
      to: () => [
        ...[process.execPath, program, 'mcp'],
        ...['-e', `WORKLORE_URL=${wl.baseUrl}`, '-e', `WORKLORE_KEY=${wl.adminKey}`],
      ],
    },
  ]
  for (const { name, task, to } of ways) {
    it(`lists and calls every tool over ${name}`, async () => {
      const calls: Record<string, string[]> = {
        claim_task: [`id=${task}`],
        update_task: [`id=${task}`, `claim=${task}.1`],
        add_comment: [`id=${task}`, 'text=Hello'],
        get_task: [`id=${task}`],
        finish_task: [`id=${task}`, `claim=${task}.1`, 'outcome=done', 'summary=Done'],
        list_tasks: ['project=INSP', 'limit=2'],
        create_task: ['project=INSP', 'title=New'],
        search: ['query=note'],
        read_knowledge: ['key=insp/note'],
        write_knowledge: [`key=insp/${task}`, 'content=Text'],
        list_knowledge: ['prefix=insp/'],
        get_history: ['of=me'],
      }
      const [listed, ...answers] = await run([
        [...to(), '--method', 'tools/list', '--strict'],
        ...Object.entries(calls).map(([tool, args]) => [
          ...[...to(), '--method', 'tools/call', '--tool-name', tool],
          ...['--tool-arg', ...args],
        ]),
      ])
      const names = JSON.parse(listed!).tools.map((tool: { name: string }) => tool.name)
      assert.deepEqual(Object.keys(calls).sort(), [...names].sort())
      assert.equal(answers.length, names.length)
      for (const [at, tool] of Object.keys(calls).entries()) {
        const result = JSON.parse(answers[at]!)
        assert.notEqual(result.isError, true, `${tool}: ${answers[at]}`)
        assert.ok(result.content[0].text.length > 0)
      }
    })
  }
})
