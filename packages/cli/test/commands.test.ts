import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { commandNames, loadCommand, overview } from '../src/commands.js'
import { helpOf } from '../src/help.js'
import { globalOptions } from '../src/option.js'
import { program } from './wl.js'

describe('the commands of wl', () => {
  it('explain themselves, with each of their options', async () => {
    assert.ok(commandNames.length > 40)
    for (const name of commandNames) {
      const [about, command] = (await loadCommand(name))!
      const help = helpOf(name, about, command)
      assert.ok(help.startsWith(`Usage: wl ${name} `), name)
      assert.ok(overview('1.0.0').includes(`\n  ${name} `), name)
      for (const [option, { value, about: what }] of Object.entries(command.options)) {
        assert.ok(value || what, `wl ${name} --${option}`)
      }
      const known = [...Object.keys(command.options), ...Object.keys(globalOptions)]
      const foreign = [...help.matchAll(/(?<![\w-])--([a-z][a-z-]*)/g)].filter(([, option]) => !known.includes(option!))
      assert.deepEqual(foreign, [], name)
      for (const line of help.split('\n')) assert.ok(line.length <= 120, `wl ${name}: ${line}`)
    }
  })

  it('are loaded one by one, and the version without any of them', async (test) => {
    const folder = mkdtempSync(join(tmpdir(), 'wl-test-'))
    test.after(() => rmSync(folder, { recursive: true }))
    const loadedBy = async (...words: string[]): Promise<string[]> => {
      const report = mkdtempSync(join(folder, 'loaded-'))
      const env = { PATH: process.env.PATH, HOME: folder, NODE_V8_COVERAGE: report }
      await promisify(execFile)(process.execPath, [program, ...words], { env })
      const files = readdirSync(report).map((file) => JSON.parse(readFileSync(join(report, file), 'utf8')))
      const urls: string[] = files.flatMap(({ result }) => result.map(({ url }: { url: string }) => url))
      return urls.filter((url) => url.startsWith('file:')).map((url) => url.slice(url.lastIndexOf('/') + 1))
    }
    const [version, help] = await Promise.all([loadedBy('--version'), loadedBy('ls', '--help')])
    assert.deepEqual(version, ['wl.cjs'])
    assert.ok(help.includes('ls.js') && help.includes('main.js'), help.join())
    for (const other of ['next.js', 'import.js', 'completion.js']) assert.ok(!help.includes(other), other)
  })
})
