import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runProgram } from '../program.js'

const commands = ['serve', 'migrate', 'tenants', 'keys', 'backup', 'restore']

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
      [],
    ]) {
      const { code, stdout, stderr } = await runProgram(words, { WORKLORE_DATA: '/nonexistent/never-made' })
      assert.notEqual(code, 0, words.join(' '))
      assert.match(stdout + stderr, /Usage:/)
    }
    const unknownOption = await runProgram(['tenants', 'create', 'x', '--colour', 'red'])
    assert.notEqual(unknownOption.code, 0)
    assert.match(unknownOption.stderr, /--colour/)
  })
})
