import assert from 'node:assert/strict'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { createKey, createProject, createTask, putItem } from 'worklore-testing/factories'
import { startService, type TestService } from 'worklore-testing/harness'
import { terminalCommand, type User, userFor } from './wl.js'

/** Without a pseudo-terminal there is nothing to test here, which must be seen, and must not pass in CI. */
const skip = terminalCommand('true') ? false : 'NO PSEUDO-TERMINAL: install util-linux (script) or python3'
if (skip && process.env.CI) throw new Error(skip)

/** An editor that does what a script says to its file. */
const editorOf = (user: User, script: string): Record<string, string> => {
  const editor = join(user.folder, 'editor.sh')
  writeFileSync(editor, `#!/bin/sh\n${script}\n`)
  chmodSync(editor, 0o755)
  return { EDITOR: `${editor} --wait` }
}

describe('wl on a terminal', { skip, concurrency: 2 }, () => {
  let service: TestService
  before(async () => {
    service = await startService(engines[0]!)
    await createProject(service, { key: 'TERM' })
    await createTask(service, 'TERM', {
      title: 'A title that is far longer than the terminal is wide, 漢字 too',
      labels: ['x'],
    })
    await createTask(service, 'TERM', { title: 'Beware \u001b]0;owned\u0007 of this' })
  })
  after(() => service.stop())

  it('draws a table with colors and within the width, or without colors', async (test) => {
    const user = userFor(test, service)
    const [colored, plain] = await Promise.all([
      user.terminal('wl ls -p TERM', { columns: 60 }),
      user.terminal('wl ls -p TERM', { columns: 60, env: { NO_COLOR: '1' } }),
    ])
    assert.ok(colored.stdout.includes('\u001b[36mTERM-1'), JSON.stringify(colored.stdout))
    assert.ok(!plain.stdout.includes('\u001b'), JSON.stringify(plain.stdout))
    const lines = plain.stdout.trimEnd().split('\n')
    assert.equal(lines[0], 'ID      STATUS  PRIORITY  WHO  LABELS  TITLE')
    assert.ok(lines.every((line) => line.length <= 60))
    assert.equal(lines[1], 'TERM-2  todo    medium                 Beware \ufffd]0;owned\ufffd of…')
    assert.equal(lines[2], 'TERM-1  todo    medium         x       A title that is far …')
  })

  it('lets nothing that others wrote turn or overwrite what is on the screen', async (test) => {
    const user = userFor(test, service)
    const evil = 'evil\u202egnp.exe\u2066\u009b2J\u200f\u001b[2J\u0007'
    await createProject(service, { key: 'EVIL', name: evil })
    const { id } = await createTask(service, 'EVIL', { title: evil, description: evil, labels: ['a\u202eb'] })
    await service.post(`/v1/tasks/${id}/comments`, { body: evil })
    await putItem(service, `evil/${encodeURIComponent('\u202enote')}`, evil)
    const { id: keyId } = await createKey(service, { name: evil, scopes: ['tasks:write'] })
    const lines = [
      'wl ls -p EVIL',
      'wl ls -p EVIL --json',
      `wl show ${id}`,
      `wl show ${id} --json`,
      'wl tree -p EVIL',
      'wl projects',
      'wl projects edit EVIL -d x',
      'wl keys',
      `wl keys rotate ${keyId}`,
      'wl notes evil',
      'wl notes evil -q',
      'wl note get "$NOTE"',
      'wl note put "$NOTE" -m x',
      'wl note get "$NOTE" --version 9',
      'wl search evil',
      'wl log -n 10',
      'wl log -n 10 --json',
      'wl history -n 10',
      'wl history evil/none',
      `wl comment ${id} -m x`,
      'wl projects edit "$NOTE" -d x',
      `wl projects edit "$NOTE" -d x --json`,
      'wl __complete -p EVIL -- ls -l a',
    ]
    const env = { NO_COLOR: '1', WORKLORE_COMPLETION_TIMEOUT: '10m', NOTE: 'evil/\u202enote' }
    for (const line of lines) {
      const { stdout } = await user.terminal(line, { env })
      assert.ok(stdout.length > 0, line)
      assert.doesNotMatch(
        stdout,
        /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/,
        line,
      )
    }
  })

  it('asks before an export replaces a file', async (test) => {
    const user = userFor(test, service)
    const file = join(user.folder, 'kept.jsonl')
    writeFileSync(file, 'Mine')
    const alone = await user.run(['export', 'kept.jsonl', '-p', 'TERM'])
    assert.deepEqual([alone.code, alone.stderr], [2, 'wl: This replaces kept.jsonl. Add --yes to confirm.\n'])
    const no = await user.terminal('wl export kept.jsonl -p TERM', { answers: [[/Continue\? \[y\/N\] /, 'n']] })
    assert.deepEqual([no.code, readFileSync(file, 'utf8')], [1, 'Mine'])
    const yes = await user.terminal('wl export kept.jsonl -p TERM', { answers: [[/Continue\? \[y\/N\] /, 'y']] })
    assert.equal(yes.code, 0, yes.stdout)
    assert.match(readFileSync(file, 'utf8'), /^\{"kind":"export"/)
    const given = await user.run(['export', 'kept.jsonl', '-p', 'TERM', '--yes'])
    assert.equal(given.code, 0, given.stderr)
  })

  it('asks for the address and the key, and does not show the key', async (test) => {
    const user = userFor(test, service)
    const { code, stdout } = await user.terminal('unset WORKLORE_URL WORKLORE_KEY; wl login && wl whoami -q', {
      answers: [
        [/Address of the server \[http:\/\/127\.0\.0\.1:8787\]: /, service.baseUrl],
        [/API key \(not shown\): /, service.adminKey],
      ],
    })
    assert.equal(code, 0, stdout)
    assert.ok(!stdout.includes(service.adminKey))
    assert.match(stdout, /Logged in to http:.* as admin, tenant default\./)
    assert.match(stdout, /\nkey_\w{20}\n$/)
  })

  it('asks before it deletes', async (test) => {
    const user = userFor(test, service)
    const { id } = await createTask(service, 'TERM')
    const no = await user.terminal(`wl rm ${id}`, { answers: [[/Continue\? \[y\/N\] /, '']] })
    assert.equal(no.code, 1)
    assert.match(no.stdout, /wl: Nothing was changed\.\n$/)
    assert.equal((await service.get(`/v1/tasks/${id}`)).status, 200)
    const yes = await user.terminal(`wl rm ${id}`, { answers: [[/Continue\? \[y\/N\] /, 'y']] })
    assert.equal(yes.code, 0, yes.stdout)
    assert.equal((await service.get(`/v1/tasks/${id}`)).status, 404)
  })

  it('opens an editor, and keeps the text if someone else was faster', async (test) => {
    const user = userFor(test, service)
    const { id } = await createTask(service, 'TERM', { title: 'Before', description: 'Old' })
    const first = editorOf(user, 'printf "After\\n\\nNew text\\n" > "$2"')
    const edited = await user.terminal(`wl edit ${id}`, { env: first })
    assert.equal(edited.code, 0, edited.stdout)
    const { body } = await service.get(`/v1/tasks/${id}`)
    assert.deepEqual([body.data.title, body.data.description], ['After', 'New text'])

    await putItem(service, 'term/note', 'Text\n')
    const added = await user.terminal('wl note edit term/note', { env: editorOf(user, 'echo More >> "$2"') })
    assert.equal(added.code, 0, added.stdout)
    assert.equal((await service.get('/v1/knowledge/term/note')).body.data.content, 'Text\nMore\n')
    const same = await user.terminal('wl note edit term/note', { env: editorOf(user, 'true') })
    assert.deepEqual([same.code, same.stdout], [1, 'wl: Nothing was changed.\n'])

    const put = `${service.baseUrl}/v1/knowledge/term/note`
    const meanwhile = `node -e 'fetch("${put}",{method:"PUT",headers:{authorization:"Bearer ${service.adminKey}","content-type":"application/json"},body:JSON.stringify({content:"Theirs"})})'`
    const late = await user.terminal('wl note edit term/note', {
      env: editorOf(user, `${meanwhile}; echo Mine > "$2"`),
    })
    assert.equal(late.code, 5, late.stdout)
    const kept = /wl: your text is kept in (\S+)\n/.exec(late.stdout)![1]!
    assert.equal(readFileSync(kept, 'utf8'), 'Mine\n')
    assert.equal((await service.get('/v1/knowledge/term/note')).body.data.content, 'Theirs')
    await user.terminal(`rm -r "$(dirname ${kept})"`)
  })

  it('shows how far long work has come', async (test) => {
    const user = userFor(test, service)
    const issues = Array.from({ length: 120 }, (_, at) => JSON.stringify({ id: `bd-${at}`, title: `Issue ${at}` }))
    writeFileSync(join(user.folder, 'issues.jsonl'), issues.join('\n'))
    const { code, stdout } = await user.terminal('wl import issues.jsonl -p TERM')
    assert.equal(code, 0, stdout)
    assert.match(stdout, /\r\u001b\[K█+ 100 % {2}creating tasks 120\/120/)
    assert.match(stdout, /tasks {2}120 created, 0 completed, 0 already there\n/)
    const { stdout: usage } = await user.terminal('wl usage', { env: { NO_COLOR: '1' } })
    assert.match(usage, /^requests per minute +\d+ +6,000,000 +in (?:\d+s|1m) +░{20}$/m)
  })
})
