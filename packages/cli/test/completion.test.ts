import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { engines } from 'worklore-testing/engines'
import { createProject, createTask, putItem } from 'worklore-testing/factories'
import { startService, type TestService } from 'worklore-testing/harness'
import { program, type User, userFor } from './wl.js'

/** However busy the machine is. */
const patient = { WORKLORE_COMPLETION_TIMEOUT: '10m' }

const has = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0

/** Puts `wl` on the path, as an installation does. */
const installed = (user: User): Record<string, string> => {
  const folder = join(user.env.HOME!, 'bin')
  mkdirSync(folder)
  symlinkSync(program, join(folder, 'wl'))
  return { ...user.env, ...patient, PATH: `${folder}:${user.env.PATH}` }
}

describe('the completion of wl', () => {
  let service: TestService
  before(async () => {
    service = await startService(engines[0]!)
    await createProject(service, { key: 'COMP' })
    await createTask(service, 'COMP', { title: 'First', labels: ['web', 'api'] })
    await createTask(service, 'COMP', { title: 'Second', status: 'done' })
    await putItem(service, 'guides/one', 'x', { tags: ['setup', 'old'] })
    await putItem(service, 'plans/two', 'x')
  })
  after(() => service.stop())

  it('knows commands, options and what is on the server', async (test) => {
    const user = userFor(test, service)
    const complete = async (...words: string[]): Promise<string[]> =>
      (await user.run(['__complete', '-q', '--', ...words], { env: patient })).stdout.split('\n').filter(Boolean)
    const expected: [words: string[], candidates: string[]][] = [
      [['ren'], ['renew']],
      [['note', 'm'], ['mv']],
      [['show', ''], ['COMP-1']],
      [['show', 'comp-'], ['COMP-1']],
      [['note', 'get', 'gui'], ['guides/one']],
      [['note', 'ver'], ['verify']],
      [['note', 'supersede', 'guides/one', 'pl'], ['plans/two']],
      [['note', 'put', 'new', '--supersedes', 'gui'], ['guides/one']],
      [
        ['notes', '--tag', ''],
        ['old', 'setup'],
      ],
      [['notes', '--state', 're'], ['retracted']],
      [['notes', '--trust', 'v'], ['verified']],
      [
        ['ls', '--label', ''],
        ['api', 'web'],
      ],
      [['ls', '-l', 'w'], ['web']],
      [
        ['ls', '--sta'],
        ['--status', '--stale'],
      ],
      [
        ['ls', '--status', 'in'],
        ['in_progress', 'in_review'],
      ],
      [['add', 'x', '-p', ''], ['COMP']],
      [
        ['import', '--from', 'b'],
        ['beads', 'backlog'],
      ],
      [
        ['completion', ''],
        ['bash', 'zsh', 'fish'],
      ],
    ]
    for (let at = 0; at < expected.length; at += 6) {
      const some = expected.slice(at, at + 6)
      const found = await Promise.all(some.map(([words]) => complete(...words)))
      assert.deepEqual(
        found,
        some.map(([, candidates]) => candidates),
      )
    }
    const away = await user.run(['__complete', '--', 'show', ''], { env: { WORKLORE_KEY: 'wrong' } })
    assert.deepEqual(away, { code: 0, stdout: '', stderr: '' })
    assert.equal((await user.run(['completion', 'tcsh'])).code, 2)
  })

  it('works in bash', { skip: has('bash') ? false : 'NO BASH' }, async (test) => {
    const user = userFor(test, service)
    const script = `source <(wl completion bash)
      COMP_WORDS=(wl show comp); COMP_CWORD=2; _wl; echo "\${COMPREPLY[*]}"
      COMP_WORDS=(wl ""); COMP_CWORD=1; _wl; echo "\${#COMPREPLY[@]}"; complete -p wl`
    const { stdout, stderr } = await promisify(execFile)('bash', ['-c', script], { env: installed(user) })
    const [ids, count, spec] = stdout.split('\n')
    assert.equal(ids, 'COMP-1', stderr)
    assert.ok(Number(count) > 20)
    assert.equal(spec, 'complete -o default -F _wl wl')
  })

  it('works in zsh', { skip: has('zsh') ? false : 'NO ZSH' }, async (test) => {
    const user = userFor(test, service)
    // What the completion system would be given, without the terminal that it needs.
    const script = `compdef() { print -r -- "compdef $*" }
      _describe() { print -rl -- "\${(@P)2}" }
      _files() { print files }
      source <(wl completion zsh)
      words=(wl show comp); CURRENT=3; _wl
      words=(wl keys create x --scope knowledge); CURRENT=6; _wl
      words=(wl import no); CURRENT=3; _wl`
    const { stdout } = await promisify(execFile)('zsh', ['-f', '-c', script], { env: installed(user) })
    const scopes = ['knowledge\\:read:', 'knowledge\\:write:']
    assert.deepEqual(stdout.trimEnd().split('\n'), ['compdef _wl wl', 'COMP-1:First', ...scopes, 'files'])
  })

  it('works in fish', { skip: has('fish') ? false : 'NO FISH' }, async (test) => {
    const user = userFor(test, service)
    const script = `wl completion fish | source
      complete -C 'wl show comp'
      complete -C 'wl ls --label '
      complete -C 'wl ren'`
    const { stdout } = await promisify(execFile)('fish', ['-N', '-c', script], { env: installed(user) })
    assert.deepEqual(stdout.trimEnd().split('\n'), ['COMP-1\tFirst', 'api', 'web', 'renew'])
  })
})
