import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { createKey, createProject, createTask, createUser } from 'worklore-testing/factories'
import { describeClient } from 'worklore-testing/service-suite'
import { until } from 'worklore-testing/until'
import { userFor } from './wl.js'

describeClient('questions, checks and the inbox with wl', (service) => {
  const scopes = ['tasks:write']
  let agent: { WORKLORE_KEY: string }
  let ada: { WORKLORE_KEY: string }
  before(async () => {
    await createProject(service, { key: 'ASK' })
    const { id: userId } = await createUser(service, { name: 'Ada Lovelace', handle: 'ada', kind: 'human' })
    agent = { WORKLORE_KEY: (await createKey(service, { name: 'agent', scopes })).key }
    ada = { WORKLORE_KEY: (await createKey(service, { name: 'ada', scopes, userId })).key }
  })

  it('asks, lets go of the task, and gets it back with the answer', async (test) => {
    const user = userFor(test, service)
    const { id } = await createTask(service, 'ASK')
    await user.run(['claim', id], { env: agent })
    const words = ['ask', 'May the old table go?', '--option', 'Drop it, now', '--option', 'Keep it', '--to', 'ada']
    const asked = await user.run(words, { env: agent })
    assert.match(asked.stdout, /^qst_\w+\n$/, asked.stderr)
    assert.equal((await service.get(`/v1/tasks/${id}`)).body.data.claim, null)
    assert.equal((await user.run(['done'], { env: agent })).code, 2)
    const questionId = asked.stdout.trim()
    const shown = await user.wl('show', id)
    assert.match(shown, /\nqst_\w+ open \S+ \S+ agent\nMay the old table go\?\n {2}1 Drop it, now\n {2}2 Keep it\n/)

    const inbox = await user.run(['inbox'], { env: ada })
    assert.match(
      inbox.stdout,
      new RegExp(`^\\S+ \\S+\\tquestion\\t${id}\\tagent\\tA task: May the old table go\\?\\n$`),
    )
    const refused = await user.run(['answer', questionId, 'Perhaps'], { env: ada })
    const options = '1 "Drop it, now", 2 "Keep it"'
    assert.deepEqual([refused.code, refused.stderr], [2, `wl: "Perhaps" is not one of the options: ${options}.\n`])
    assert.equal((await user.run(['answer', questionId, 'keep it'], { env: agent })).code, 4)
    const answered = await user.run(['answer', id, '2', '-m', 'Until Friday.', '--json'], { env: ada })
    const { answer } = JSON.parse(answered.stdout).data
    assert.deepEqual([answer.option, answer.body], ['Keep it', 'Until Friday.'])
    assert.equal((await user.run(['answer', questionId, '1'], { env: ada })).code, 5)
    assert.equal((await user.run(['answer', id, '1'], { env: ada })).code, 3)
    assert.equal((await user.run(['inbox'], { env: ada })).stdout, '')
    assert.match(await user.wl('show', id), /\nKeep it\nUntil Friday\.\n/)
    const next = await user.run(['next', '--claim', '-p', 'ASK', '-q'], { env: agent })
    assert.equal(next.stdout, `${id}\n`)
  })

  it('waits for an answer, and says where none came', async (test) => {
    const user = userFor(test, service)
    const { id } = await createTask(service, 'ASK', { status: 'in_progress' })
    const none = await user.run(['ask', id, 'Anyone?', '--wait', '1s'])
    assert.equal(none.code, 3)
    assert.match(none.stderr, /^No answer yet: qst_\w+ about \S+ is still open\.\n$/)
    const waiting = user.run(['ask', id, '-', '--wait', '5m', '--to', 'Ada Lovelace'], { env: agent, input: 'How?' })
    const asked = await until(
      async () => (await service.get('/v1/questions?state=open')).body.data,
      (questions) => questions.some(({ body }: { body: string }) => body === 'How?'),
    )
    const questionId = asked.find(({ body }: { body: string }) => body === 'How?').id
    const unsaid = await user.run(['answer', questionId], { env: ada })
    assert.deepEqual([unsaid.code, unsaid.stderr], [2, `wl: Say what to answer. ${id}: How?\n`])
    await user.run(['answer', questionId, 'By hand.'], { env: ada })
    assert.deepEqual(await waiting, { code: 0, stdout: 'By hand.\n', stderr: '' })
    const both = await user.run(['answer', id, 'x', '-m', 'y'], { env: ada })
    assert.equal(both.code, 2, both.stderr)
    for (const [words, code] of [
      [['ask', id, 'x', '--option', 'a'], 2],
      [['ask', id, 'x', '--to', 'nobody'], 3],
      [['answer', 'qst_none', 'x'], 3],
      [['ask'], 2],
    ] as const) {
      assert.equal((await user.run([...words])).code, code, words.join(' '))
    }
  })

  it('decides checks, and says what is missing before a task is done', async (test) => {
    const user = userFor(test, service)
    const run = (...words: string[]) => user.run(words, { env: { ...agent, WORKLORE_PROJECT: 'ASK' } })
    const texts = ['GET /v1/me answers 200', 'other: Reviewed', 'human: Approved']
    const added = await run('add', 'Checked', ...texts.flatMap((text) => ['--check', text]), '-q')
    const id = added.stdout.trim()
    await run('claim', id)
    const gated = await run('done')
    assert.equal(gated.code, 5)
    assert.equal(
      gated.stderr,
      `wl: ${id} cannot be done yet. c1 "GET /v1/me answers 200" is open: pass it with wl check. ` +
        'c2 "Reviewed" is open: hand it in with wl submit, for someone who did not work on it to decide. ' +
        'c3 "Approved" is open: hand it in with wl submit, for a person to decide.\n',
    )
    assert.equal((await run('check', 'c1', 'pass')).stderr, 'wl: --evidence is required to set a check to passed.\n')
    assert.match((await run('check', 'c1', 'maybe')).stderr, /^wl: "maybe" must be one of pass, fail, waive, open\.\n$/)
    assert.equal((await run('check', id, 'c1', 'pass', '--evidence', 'curl: 200')).code, 0)
    const refused = await run('check', 'c2', 'pass', '-e', 'x')
    assert.equal(refused.code, 4)
    assert.match(refused.stderr, /Hand it in with wl submit, and go on with another one\.\n$/)
    assert.equal((await run('check', id, 'c9', 'open')).code, 3)
    assert.equal((await run('submit', '--result', 'All of it works.')).code, 0)
    const shown = await run('show', id)
    assert.match(shown.stdout, /\n\nresult\nAll of it works\.\n\n/)
    assert.match(
      shown.stdout,
      /\nc1 passed {2}GET \/v1\/me answers 200 {2}agent, \S+ \S+\n {3}curl: 200\nc2 open \(for/,
    )
    const mine = await user.run(['ls', '--verify', '-q', '-p', 'ASK'], { env: ada })
    assert.equal(mine.stdout, `${id}\n`)
    for (const check of ['c2', 'c3']) {
      assert.equal((await user.run(['check', id, check, 'pass', '-e', 'Seen.'], { env: ada })).code, 0, check)
    }
    assert.equal((await user.json('done', id, '--result', 'Better.')).data.result, 'Better.')
    assert.match(
      await user.wl('log', '-n', '20'),
      /task\.updated\t\S+\tada \(cli\)\tchecks c1 passed,c2 open,c3 open → /,
    )
  })

  it('follows the inbox, and marks what was listed as read', async (test) => {
    const user = userFor(test, service)
    const env = { ...ada }
    await user.run(['inbox', '--read'], { env })
    const { id } = await createTask(service, 'ASK', { status: 'in_progress' })
    const watching = user.start(['inbox', '--watch', '--json'], { env })
    let seen = ''
    watching.child.stdout!.on('data', (chunk) => {
      seen += chunk
    })
    const comment = (text: string) => service.post(`/v1/tasks/${id}/comments`, { body: text })
    await comment('One for @ada.')
    await until(
      async () => seen,
      (text) => text.includes('One for'),
    )
    await comment('Two for @ada.')
    await until(
      async () => seen,
      (text) => text.includes('Two for'),
    )
    watching.child.kill()
    await watching.ended
    assert.deepEqual(
      seen
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line).kind),
      ['mention', 'mention'],
    )
    assert.equal((await user.run(['inbox', '--read', '-q'], { env })).stdout.split('\n').length, 3)
    assert.equal((await user.run(['inbox', '-q'], { env })).stdout, '')
    assert.ok((await user.run(['inbox', '--all', '-q'], { env })).stdout.split('\n').length >= 3)
    const nobody = await user.run(['inbox'], { env: agent })
    assert.equal(nobody.code, 2)
    assert.match(nobody.stderr, /^wl: This key belongs to no user, and only users have an inbox\./)
    assert.match(await user.wl('users'), /\tada\thuman\t/)
  })
})
