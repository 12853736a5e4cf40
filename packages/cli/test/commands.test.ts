import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { engines } from 'worklore-testing/engines'
import { startService } from 'worklore-testing/harness'
import { parseWords } from '../src/arguments.js'
import { commandNames, findCommand, loadCommand, overview } from '../src/commands.js'
import { examples } from '../src/examples.js'
import { helpOf } from '../src/help.js'
import { globalOptions } from '../src/option.js'
import { program, userFor } from './wl.js'

/** Splits a shell command into words and drops redirections. */
const wordsOf = (line: string): string[] =>
  [...line.replace(/ < .*$/, '').matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain!,
  )

describe('the commands of wl', () => {
  it('explain themselves, with each of their options', async () => {
    assert.ok(commandNames.length > 40)
    for (const name of commandNames) {
      const [about, command] = (await loadCommand(name))!
      const shown = examples[name] ?? []
      const help = helpOf(name, about, command, shown, '')
      assert.ok(shown.length >= 2, `wl ${name} has ${shown.length} examples`)
      for (const example of shown) {
        assert.ok(help.includes(`\n  ${example}`), example)
        const [, words] = findCommand(wordsOf(example.slice(example.indexOf('wl ') + 3)))
        assert.equal(findCommand(wordsOf(example.slice(example.indexOf('wl ') + 3)))[0], name, example)
        assert.doesNotThrow(() => parseWords(name, command, words), example)
      }
      for (const option of Object.keys(globalOptions)) assert.match(help, new RegExp(` --${option}\\b`), name)
      assert.ok(help.startsWith(`Usage: wl ${name} `), name)
      assert.ok(overview('1.0.0').includes(`\n  ${name} `), name)
      for (const [option, { value, about: what }] of Object.entries(command.options)) {
        assert.ok(value || what, `wl ${name} --${option}`)
      }
      const known = [...Object.keys(command.options), ...Object.keys(globalOptions)]
      const foreign = [...help.matchAll(/(?<![\w-])--([a-z][a-z-]*)/g)].filter(([, option]) => !known.includes(option!))
      assert.deepEqual(foreign, [], name)
      const lines = help.split('\n')
      for (const [at, line] of lines.entries()) {
        assert.ok(line.length <= 120, `wl ${name}: ${line}`)
        const [next = ''] = (lines[at + 1] ?? '').split(' ')
        const isCutShort = /^\S/.test(line) && next !== '' && `${line} ${next}`.length <= 110
        assert.ok(!isCutShort, `wl ${name}: ${line}`)
      }
    }
  })

  it('are listed by the help of the word that they begin with', async () => {
    const helpOfWords = async (...words: string[]): Promise<string> =>
      (await promisify(execFile)(process.execPath, [program, ...words], { env: { PATH: process.env.PATH } })).stdout
    const [flag, short, word, keys] = await Promise.all([
      helpOfWords('note', '--help'),
      helpOfWords('note', '-h'),
      helpOfWords('help', 'note'),
      helpOfWords('keys', '--help'),
    ])
    assert.match(flag, /^Usage: wl note <command> \[arguments\] \[options\]\n\nCommands:\n {2}note get +Print a note\n/)
    assert.deepEqual([short, word], [flag, flag])
    assert.match(keys, /^Usage: wl keys \[options\]\n[\s\S]*\nCommands:\n {2}keys create /)
  })

  it('load neither fetch nor what they do not need of Node', async (test) => {
    const service = await startService(engines[0]!)
    test.after(() => service.stop())
    const user = userFor(test, service)
    const report = join(user.folder, 'loaded.cjs')
    writeFileSync(
      report,
      "process.on('exit', () => require('fs').writeFileSync('loaded', process.moduleLoadList.join()))",
    )
    const { code } = await user.run(['ls'], { env: { NODE_OPTIONS: `--require ${report}` } })
    assert.equal(code, 0)
    const loaded = readFileSync(join(user.folder, 'loaded'), 'utf8').split(',')
    assert.ok(loaded.includes('NativeModule http'), loaded.join())
    const heavy =
      /undici|NativeModule (child_process|crypto|https|readline|tls|zlib|internal\/webstreams\/readablestream)$/
    assert.deepEqual(
      loaded.filter((name) => heavy.test(name)),
      [],
    )
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
    assert.ok(help.includes('ls.cjs') && help.includes('main.cjs'), help.join())
    for (const other of ['claim.cjs', 'import.cjs', 'completion.cjs']) assert.ok(!help.includes(other), other)
  })
})
