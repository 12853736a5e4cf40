import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { createKey, createProject } from 'worklore-testing/factories'
import { describeClient } from 'worklore-testing/service-suite'
import { userFor } from './wl.js'

describeClient('history with wl', (service) => {
  it('shows what changed, and brings back what was', async (test) => {
    const user = userFor(test, service)
    await createProject(service, { key: 'PAST' })
    await user.wl('add', 'One', '-p', 'PAST')
    await user.wl('edit', 'PAST-1', '--title', 'Uno', '--status', 'in_review')
    const [entry] = (await user.wl('history', 'past-1')).split('\n')
    assert.match(entry!, /^2\t\S+Z\ttask\.updated\tPAST-1\tadmin \(cli\)\ttitle One → Uno, status todo → in_review$/)
    assert.match(await user.wl('show', 'PAST-1', '--version', '1'), /^PAST-1 One\n/)
    assert.equal((await user.json('restore', 'PAST-1', '--version', '1')).data.title, 'One')

    await user.wl('note', 'put', 'past/note', '-m', 'First')
    await user.wl('note', 'put', 'past/note', '-m', 'Second')
    assert.equal(await user.wl('note', 'get', 'past/note', '--version', '1'), 'First')
    assert.deepEqual(
      (await user.json('note', 'history', 'past/note')).data.map(({ version }: { version: number }) => version),
      [2, 1],
    )
    await Promise.all([user.wl('rm', 'PAST-1', '-y'), user.wl('note', 'rm', 'past/note', '-y')])
    const trash = await user.wl('trash')
    assert.match(trash, /^tra_\w+\ttask\t[^\t]+\tadmin\tPAST-1\tOne$/m)
    const [, entryId] = /^(tra_\w+)\tknowledge\t/m.exec(trash)!
    assert.equal(await user.wl('restore', entryId!), 'past/note\n')
    assert.equal(await user.wl('restore', 'past-1'), 'PAST-1\n')
    const none = await user.run(['restore', 'past-1'])
    assert.deepEqual([none.code, none.stderr.includes('is not in the trash')], [3, true])
    assert.equal((await user.run(['trash', 'rm', '--all'])).code, 2)

    await user.wl('export', 'out.jsonl', '--history')
    const lines = readFileSync(join(user.folder, 'out.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const task = lines.find(({ kind, id }) => kind === 'task' && id === 'PAST-1')
    assert.deepEqual(task.history.at(-1).changes.title, { from: null, to: 'One' })
  })

  it('undoes what a key did', async (test) => {
    const user = userFor(test, service)
    await createProject(service, { key: 'UNDO' })
    await user.wl('add', 'Stays', '-p', 'UNDO')
    const key = (await createKey(service, { name: 'clumsy', scopes: ['tasks:write'] })).key
    const env = { WORKLORE_KEY: key }
    await user.run(['edit', 'UNDO-1', '--title', 'Broken'], { env })
    await user.run(['add', 'Nonsense', '-p', 'UNDO'], { env })
    assert.equal((await user.run(['undo', '--key', 'clumsy'])).code, 2)
    const planned = await user.wl('undo', '--key', 'clumsy', '--since', '20m', '--dry-run')
    assert.deepEqual(
      planned
        .trim()
        .split('\n')
        .map((line) => line.trim())
        .sort(),
      ['deleted\tUNDO-2', 'reverted\tUNDO-1'],
    )
    assert.equal((await service.get('/v1/tasks/UNDO-1')).body.data.title, 'Broken')
    await user.wl('undo', '--key', 'clumsy', '--since', '20m', '--yes')
    assert.equal((await service.get('/v1/tasks/UNDO-1')).body.data.title, 'Stays')
    assert.equal((await service.get('/v1/tasks/UNDO-2')).status, 404)
    const refused = await user.run(['undo', '--key', 'me', '--dry-run'], { env })
    assert.equal(refused.code, 4)
  })

  it('ends an undo that left conflicts as a conflict, and names the option that undoes them too', async (test) => {
    const user = userFor(test, service)
    await createProject(service, { key: 'CLASH' })
    await user.wl('add', 'Clean', '-p', 'CLASH')
    await user.wl('add', 'Clean', '-p', 'CLASH')
    const { key } = await createKey(service, { name: 'hasty', scopes: ['tasks:write'] })
    const edit = ['edit', 'CLASH-1', '--title', 'Hasty']
    await user.run(edit, { env: { WORKLORE_KEY: key } })
    await user.wl('edit', 'CLASH-1', '--title', 'Careful')
    const undo = ['undo', '--key', 'hasty', '--since', '20m', '--yes']
    const refused = await user.run(undo)
    assert.equal(refused.code, 5)
    assert.match(
      refused.stdout,
      /^conflict\tCLASH-1\tSince then admin changed it\. Include conflicts to undo it too\.$/m,
    )
    assert.match(refused.stderr, /^Add --include-conflicts to undo conflicts too\.$/m)
    await user.run(edit.with(1, 'CLASH-2'), { env: { WORKLORE_KEY: key } })
    const partly = await user.run(undo)
    assert.equal(partly.code, 5)
    assert.match(partly.stdout, /^reverted\tCLASH-2/m)
    assert.equal((await user.run([...undo, '--include-conflicts'])).code, 0)
    assert.equal((await service.get('/v1/tasks/CLASH-1')).body.data.title, 'Clean')
  })
})
