import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { runProgram } from 'worklore-testing/program'

const commands = [
  'serve',
  'migrate',
  'distribute',
  'doctor',
  'rebuild',
  'tenants',
  'keys',
  'console',
  'audit',
  'backup',
  'restore',
  'after-restore',
  'openapi',
]

describe('the command line', () => {
  it('explains itself and each command', async () => {
    const { code, stdout } = await runProgram(['--help'])
    assert.equal(code, 0)
    for (const command of commands) assert.ok(stdout.includes(`\n  ${command} `), command)
    const helps = await Promise.all(commands.map((command) => runProgram([command, '--help'])))
    for (const [at, help] of helps.entries()) {
      assert.equal(help.code, 0)
      assert.match(help.stdout, new RegExp(`Usage:\\s+worklore ${commands[at]}`))
    }
  })

  it('refuses what it does not know, with a way on', async () => {
    for (const words of [
      ['dance'],
      ['tenants'],
      ['tenants', 'dance'],
      ['keys', 'create'],
      ['tenants', 'list', 'x'],
      ['serve', '--port', '80'],
      ['serve', 'x'],
      ['migrate', '--force'],
      ['after-restore', 'x'],
      [],
    ]) {
      const { code, stdout, stderr } = await runProgram(words, { WORKLORE_DATA: '/nonexistent/never-made' })
      assert.notEqual(code, 0, words.join(' '))
      assert.match(stdout + stderr, /Usage:/)
    }
    assert.ok(!existsSync('/nonexistent'))
    const unknownOption = await runProgram(['tenants', 'create', 'x', '--colour', 'red'])
    assert.notEqual(unknownOption.code, 0)
    assert.match(unknownOption.stderr, /--colour/)
  })

  it('loads nothing of a database to explain itself', async (test) => {
    const folder = mkdtempSync(join(tmpdir(), 'worklore-test-'))
    test.after(() => rmSync(folder, { recursive: true }))
    for (const words of [['--help'], ['--version'], ...commands.map((command) => [command, '--help'])]) {
      const report = mkdtempSync(join(folder, 'loaded-'))
      assert.equal((await runProgram(words, { NODE_V8_COVERAGE: report })).code, 0)
      const loaded = readdirSync(report).flatMap((file) => {
        const { result } = JSON.parse(readFileSync(join(report, file), 'utf8')) as { result: { url: string }[] }
        return result.map(({ url }) => url)
      })
      const bundled = loaded.filter((url) => url.includes('/dist/build-'))
      assert.ok(bundled.some((url) => url.endsWith('/main.js')))
      // A bundle's file names the modules that are in it.
      const modules = bundled.flatMap((url) => readFileSync(new URL(url), 'utf8').match(/^\/\/ \S+\.[cm]?js$/gm) ?? [])
      assert.ok(modules.some((name) => name.endsWith('/src/cli/main.js')))
      const ofDatabases = [...loaded, ...modules].filter((name) =>
        /\/src\/db\/|photostructure|node_modules\/postgres\//.test(name),
      )
      assert.deepEqual(ofDatabases, [], words.join(' '))
    }
  })

  it('refuses to work on a store that is not there, and creates none', async (test) => {
    const folder = mkdtempSync(join(tmpdir(), 'worklore-test-'))
    test.after(() => rmSync(folder, { recursive: true }))
    const dataDir = join(folder, 'data')
    const attempts = [
      ['backup', join(folder, 'copy.db')],
      ['tenants', 'list'],
      ['tenants', 'create', 'x'],
      ['keys', 'list', 'default'],
      ['keys', 'create', 'default', 'x', '--scope', 'admin'],
      ['keys', 'revoke', 'default', 'key_x'],
      ['after-restore', '--yes'],
    ]
    for (const words of attempts) {
      const { code, stdout, stderr } = await runProgram(words, { WORKLORE_DATA: dataDir })
      assert.equal(code, 1, words.join(' '))
      assert.equal(stdout, '')
      assert.ok(stderr.includes(`No database found at ${join(dataDir, 'worklore.db')}`), stderr)
    }
    assert.deepEqual(readdirSync(folder), [])
  })
})
