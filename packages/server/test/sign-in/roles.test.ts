import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { it } from 'node:test'
import { expectError, expectStatus } from 'worklore-testing/expect'
import { createKey } from 'worklore-testing/factories'
import { fillPath, readOperations } from 'worklore-testing/operations'
import { attempt, describeSignIn, signedIn, signToken } from './stage.js'

const roles = [
  { claim: 'groups', value: 'admins', role: 'admin' },
  { claim: 'groups', value: 'staff', role: 'member' },
  { claim: 'groups', value: 'guests', role: 'none' },
  { claim: 'groups', value: 'leavers', role: 'disabled' },
  { claim: 'email', value: 'Former@example.com', role: 'disabled' },
] as const

describeSignIn(
  'roles by claims',
  (stage) => {
    const account = (id: string, groups: unknown, more: object = {}) => {
      stage.provider.accounts.set(id, { name: id, groups, ...more })
      return id
    }
    const roleOf = async (userId: string) => (await stage.wl.get(`/v1/users/${userId}`)).body.data.role

    it('let people in without an e-mail address, with the strongest role', async () => {
      const boss = await signedIn(stage, account('boss', ['staff', 'admins']))
      assert.equal(await roleOf(boss.session.userId), 'admin')
      expectStatus(await boss.request('POST', '/v1/projects', { key: 'BOSS', name: 'Boss' }), 201)
      const worker = await signedIn(stage, account('worker', 'staff'))
      assert.equal(await roleOf(worker.session.userId), 'member')
      expectError(await worker.request('POST', '/v1/projects', { key: 'WORK', name: 'Work' }), 'FORBIDDEN')
      const guest = await signedIn(stage, account('guest', ['guests', 'others']))
      assert.equal(await roleOf(guest.session.userId), 'none')
    })

    it('are the reason for which people are refused what only admins do, by every operation', async () => {
      const { wl } = stage
      const member = await signedIn(stage, account('plain', 'staff'))
      const token = await signToken(stage, { sub: 'plain', groups: 'staff' })
      const operations = (await readOperations(wl)).filter(({ scope }) => scope === 'admin')
      assert.ok(operations.length > 20)
      for (const operation of operations) {
        const path = fillPath(operation.template, () => 'none')
        for (const answer of [
          await member.request(operation.method, path, {}),
          await wl.request(operation.method, path, { key: token, body: {} }),
        ]) {
          const error = expectError(answer, 'FORBIDDEN')
          assert.deepEqual([error.reason, error.requiredScope], ['role', 'admin'], operation.id)
        }
      }
      const key = await createKey(wl, { scopes: ['tasks:write'], userId: member.session.userId })
      assert.equal(expectError(await wl.post('/v1/users', {}, { key: key.key }), 'FORBIDDEN').reason, 'scope')
    })

    it('refuse those without one, and those who are disabled', async () => {
      assert.match((await attempt(stage, account('nobody', ['others']))).answer.text, /no verified e-mail address/)
      assert.match((await attempt(stage, account('leaver', ['leavers', 'admins']))).answer.text, /disabled/)
      const former = account('former', ['admins'], { email: 'former@EXAMPLE.com', email_verified: false })
      const { answer } = await attempt(stage, former)
      assert.equal(answer.status, 403)
      assert.match(answer.text, /disabled/)
    })

    it('are set at each sign-in and taken back with the claim, others stay', async () => {
      const { userId } = (await signedIn(stage, account('mover', ['admins']))).session
      await signedIn(stage, account('mover', ['staff']))
      assert.equal(await roleOf(userId), 'member')
      await signedIn(stage, account('mover', ['admins']))
      await signedIn(stage, account('mover', []))
      assert.equal(await roleOf(userId), 'none')
      await stage.wl.patch(`/v1/users/${userId}`, { role: 'admin' })
      await signedIn(stage, account('mover', []))
      assert.equal(await roleOf(userId), 'admin')
    })

    it('stay as they were set by hand until the claim changes', async () => {
      const { userId } = (await signedIn(stage, account('leading', ['admins']))).session
      for (const role of ['none', 'member']) {
        await stage.wl.patch(`/v1/users/${userId}`, { role })
        await signedIn(stage, account('leading', ['admins']))
        await me('leading', { groups: ['admins'] })
        assert.equal(await roleOf(userId), role)
      }
      await signedIn(stage, account('leading', ['guests']))
      assert.equal(await roleOf(userId), 'none')
      await signedIn(stage, account('leading', ['admins']))
      assert.equal(await roleOf(userId), 'admin')
    })

    const me = async (sub: string, claims: object) =>
      stage.wl.get('/v1/me', { key: await signToken(stage, { sub, jti: randomUUID(), ...claims }) })

    it('are lowered by a token and never raised, but for a new user', async () => {
      const { userId } = (await signedIn(stage, account('climber', ['staff']))).session
      expectStatus(await me('climber', { groups: ['admins'] }), 200)
      assert.equal(await roleOf(userId), 'member')
      await signedIn(stage, account('climber', ['admins']))
      expectStatus(await me('climber', {}), 200)
      assert.equal(await roleOf(userId), 'admin')
      expectStatus(await me('climber', { groups: ['staff'] }), 200)
      assert.equal(await roleOf(userId), 'member')
      expectStatus(await me('climber', { groups: [] }), 200)
      assert.equal(await roleOf(userId), 'none')
      expectStatus(await me('climber', { groups: ['admins'] }), 200)
      assert.equal(await roleOf(userId), 'none')
      await signedIn(stage, account('climber', ['admins']))
      assert.equal(await roleOf(userId), 'admin')

      const created = expectStatus(await me('newcomer', { groups: ['admins'] }), 200).body.data
      assert.equal(await roleOf(created.user.id), 'admin')
      const known = (await stage.wl.post('/v1/users', { name: 'Known', email: 'known@example.com' })).body.data
      const verified = { email: 'known@example.com', email_verified: true }
      expectStatus(await me('known', { ...verified, groups: ['admins'] }), 200)
      assert.equal(await roleOf(known.id), 'member')
      await signedIn(stage, account('known', ['admins'], verified))
      assert.equal(await roleOf(known.id), 'admin')
      // Nothing but the domain of their address is left, which the token need not have.
      expectStatus(await me('known', { groups: [] }), 200)
      assert.equal(await roleOf(known.id), 'member')
    })

    it('disable by the address of the user where a token has none', async () => {
      const { userId } = (await signedIn(stage, account('parting', ['staff']))).session
      expectStatus(await me('parting', {}), 200)
      await stage.wl.patch(`/v1/users/${userId}`, { email: 'FORMER@example.com' })
      assert.equal(expectError(await me('parting', {}), 'FORBIDDEN').refusal, 'disabled')
      assert.match((await attempt(stage, account('parting', ['admins']))).answer.text, /disabled/)
    })

    it('are taken away from a session that is open', async () => {
      const admin = await signedIn(stage, account('chief', ['admins']))
      expectStatus(await admin.get('/v1/keys'), 200)
      await signedIn(stage, account('chief', ['staff']))
      expectError(await admin.get('/v1/keys'), 'FORBIDDEN')
    })
  },
  { issuer: { roles } },
)
