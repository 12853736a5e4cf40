import assert from 'node:assert/strict'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { isCitusRun } from 'worklore-testing/citus'
import { expectError, expectStatus } from 'worklore-testing/expect'
import { createProject, createTask, createUser, putItem } from 'worklore-testing/factories'
import { environmentOf, runProgram } from 'worklore-testing/program'
import { describeService } from 'worklore-testing/service-suite'
import { until } from 'worklore-testing/until'

describeService('the command line, while the service runs,', (wl, engine) => {
  const worklore = (...words: string[]) => runProgram(words, environmentOf(wl.store))
  const json = async (...words: string[]) => {
    const { code, stdout, stderr } = await worklore(...words)
    assert.equal(code, 0, stderr)
    return JSON.parse(stdout)
  }
  const expectFailure = async (pattern: RegExp, ...words: string[]) => {
    const { code, stdout, stderr } = await worklore(...words)
    assert.notEqual(code, 0)
    assert.match(stderr, pattern)
    assert.equal(stdout, '')
    assert.doesNotMatch(stderr, /\n\s+at /)
  }

  it('makes a tenant whose first key is good at once', async () => {
    const { tenant, key } = await json('tenants', 'create', 'Other team', '--plan', 'pro')
    assert.equal(tenant.name, 'Other team')
    assert.match(key.key, /^wl_live_/)
    const { body } = expectStatus(await wl.get('/v1/me', { key: key.key }), 200)
    assert.deepEqual([body.data.tenant, body.data.plan], [{ id: tenant.id, name: 'Other team', paused: null }, 'pro'])
    const listed = await json('tenants', 'list')
    assert.deepEqual(
      listed.map(({ name, plan }: { name: string; plan: string }) => `${name} ${plan}`),
      ['default self-hosted', 'Other team pro'],
    )
    await expectFailure(/already/, 'tenants', 'create', 'Other team')
    await expectFailure(/Unknown plan "gold"/, 'tenants', 'create', 'Third', '--plan', 'gold')
  })

  it('changes a plan, which the service respects at once', async () => {
    const { tenant, key } = await json('tenants', 'create', 'Growing')
    assert.equal((await wl.get('/v1/me', { key: key.key })).body.data.plan, 'free')
    assert.equal((await json('tenants', 'set-plan', tenant.id, 'pro')).plan, 'pro')
    const planOf = async () => (await wl.get('/v1/me', { key: key.key })).body.data.plan
    assert.equal(await until(planOf, (plan) => plan === 'pro'), 'pro')
    await expectFailure(/Tenant "Nobody" not found/, 'tenants', 'set-plan', 'Nobody', 'pro')
  })

  it('makes, lists and revokes keys', async () => {
    await createProject(wl, { key: 'ACME' })
    const user = await createUser(wl)
    const words = ['--scope', 'tasks:read', '--project', 'ACME', '--user', user.id, '--expires', '2099-01-01T00:00:00Z']
    const made = await json('keys', 'create', 'default', 'an agent', ...words)
    assert.deepEqual([made.name, made.scopes, made.userId], ['an agent', ['tasks:read'], user.id])
    assert.equal(made.expiresAt, '2099-01-01T00:00:00.000Z')
    assert.equal((await wl.get('/v1/me', { key: made.key })).body.data.projects[0].key, 'ACME')
    const listed = await json('keys', 'list', 'default')
    assert.ok(listed.some(({ id }: { id: string }) => id === made.id))
    assert.ok(!JSON.stringify(listed).includes(made.key.slice(12)))
    assert.deepEqual(await json('keys', 'revoke', 'default', made.id), { id: made.id, deleted: true })
    const me = () => wl.get('/v1/me', { key: made.key })
    // Another process's commit is seen at once in the embedded store, and a moment later by way of PostgreSQL.
    expectError(
      engine.name === 'postgres' ? await until(me, ({ status }) => status === 401) : await me(),
      'UNAUTHORIZED',
    )
    await expectFailure(/--scope is required/, 'keys', 'create', 'default', 'x')
    const past = ['--scope', 'admin', '--expires', '2020-01-01T00:00:00Z']
    await expectFailure(/must be in the future/, 'keys', 'create', 'default', 'x', ...past)
    const nowhere = ['--scope', 'admin', '--project', 'NOPE', '--user', 'usr_none']
    const named = /^--project: project "NOPE" not found\n--user: user "usr_none" not found$/m
    await expectFailure(named, 'keys', 'create', 'default', 'x', ...nowhere)
    await expectFailure(/Unknown scope "all"/, 'keys', 'create', 'default', 'x', '--scope', 'all')
    await expectFailure(/API key .* not found/, 'keys', 'revoke', 'default', made.id)
  })

  it('deletes a tenant with everything that belongs to it, when it is told to', async () => {
    const { key } = await json('tenants', 'create', 'Leaving')
    await createProject(wl, { key: 'GONE' }, { key: key.key })
    await createTask(wl, 'GONE', { labels: ['x'] }, { key: key.key })
    await putItem(wl, 'gone', 'x', {}, { key: key.key })
    await expectFailure(/--yes/, 'tenants', 'delete', 'Leaving')
    assert.equal((await json('tenants', 'delete', 'Leaving', '--yes')).deleted, true)
    const me = () => wl.get('/v1/me', { key: key.key })
    expectError(await until(me, ({ status }) => status === 401), 'UNAUTHORIZED')
    await expectFailure(/Tenant .* not found/, 'tenants', 'delete', 'Leaving', '--yes')
  })

  it('finds the schema up to date', async () => {
    const { code, stdout } = await worklore('migrate')
    assert.deepEqual([code, stdout], [0, 'The schema is up to date.\n'])
  })

  it('says what the database is and where its tables are', async () => {
    const { code, stdout } = await worklore('doctor')
    assert.equal(code, 0, stdout)
    assert.match(stdout, new RegExp(`^engine: ${engine.name}\nschema: up to date\n`))
    if (!isCitusRun) return expectFailure(/does not have the Citus extension/, 'distribute')
    assert.match(stdout, /tables on every node: key_hashes, /)
    assert.match(stdout, /tables distributed by tenant: .*\btasks\b/)
    assert.match((await worklore('distribute')).stdout, /distributed already/)
  })

  it('backs up and restores', async () => {
    const file = join(wl.store.dataDir, 'copy.db')
    if (engine.name === 'postgres') {
      await expectFailure(/pg_dump/, 'backup', file)
      return expectFailure(/pg_restore/, 'restore', file, '--yes')
    }
    await createProject(wl, { key: 'SAFE' })
    const kept = await createTask(wl, 'SAFE', { title: 'kept' })
    const writing = Promise.all(Array.from({ length: 50 }, () => createTask(wl, 'SAFE')))
    const { code, stdout, stderr } = await worklore('backup', file)
    assert.equal(code, 0, stderr)
    assert.match(stdout, /integrity check/)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.deepEqual(
      readdirSync(wl.store.dataDir).filter((name) => name.startsWith('copy')),
      ['copy.db'],
    )
    await writing
    await expectFailure(/already exists/, 'backup', file)
    const late = await createTask(wl, 'SAFE', { title: 'after the backup' })
    await wl.patch(`/v1/tasks/${kept.id}`, { title: 'changed' })
    await expectFailure(/--yes/, 'restore', file)
    await expectFailure(/does not exist/, 'restore', join(wl.store.dataDir, 'none.db'), '--yes')
    await expectFailure(/./, 'restore', new URL(import.meta.url).pathname, '--yes')
    const restored = await worklore('restore', file, '--yes')
    assert.equal(restored.code, 0, restored.stderr)
    assert.equal((await wl.get(`/v1/tasks/${kept.id}`)).body.data.title, 'kept')
    expectError(await wl.get(`/v1/tasks/${late.id}`), 'NOT_FOUND')
    assert.match((await createTask(wl, 'SAFE')).id, /^SAFE-\d+$/)
  })
})
