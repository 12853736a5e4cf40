import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { RoleRule } from '../../../base/oidc-settings.js'
import { isInDomain, mappedRoleOf, mergeClaims, nameOfUser, verifiedEmailOf } from './claims.js'

const sub = 'subject'

describe('the claims of an issuer', () => {
  it('name an e-mail address only where it is said to be verified', () => {
    const email = 'Ada@Example.com'
    for (const said of [true, 'true']) {
      assert.equal(verifiedEmailOf({ sub, email, email_verified: said }), 'ada@example.com')
    }
    assert.equal(verifiedEmailOf({ sub, email, xms_edov: '1' }), 'ada@example.com')
    for (const said of [undefined, false, 'false', 0, 'yes', null, {}]) {
      assert.equal(verifiedEmailOf({ sub, email, email_verified: said }), undefined)
    }
    for (const said of [false, 'false', null]) {
      assert.equal(verifiedEmailOf({ sub, email, email_verified: said, xms_edov: true }), undefined)
    }
    for (const wrong of [
      undefined,
      7,
      ['a@example.com'],
      'no address',
      'a@b@example.com',
      `${'x'.repeat(320)}@a.example`,
    ]) {
      assert.equal(verifiedEmailOf({ sub, email: wrong, email_verified: true }), undefined)
    }
  })

  it('of an ID token and of userinfo never verify the address of the other', () => {
    const [own, others] = ['eve@evil.example', 'ada@example.com']
    const merged = (signed: object, userInfo: object) => mergeClaims({ sub, ...signed }, { sub, ...userInfo })
    const verifications = [{ email_verified: true }, { xms_edov: true }]
    for (const verified of verifications) {
      const inUserInfo = { email: own, ...verified, groups: ['staff'] }
      assert.deepEqual(merged({ email: others }, inUserInfo), { sub, email: others, groups: ['staff'] })
      assert.deepEqual(merged(verified, { email: others, name: 'Eve' }), { sub, email: others, name: 'Eve' })
      assert.equal(verifiedEmailOf(merged({}, inUserInfo)), own)
      assert.equal(verifiedEmailOf(merged({ email: own, ...verified }, { email: others })), own)
    }
    assert.deepEqual(merged({ groups: ['staff'] }, { groups: ['admins'] }), { sub, groups: ['staff'] })
  })

  it('are in a domain exactly', () => {
    const domains = ['example.com']
    assert.ok(isInDomain('ada@example.com', domains))
    for (const email of [undefined, 'ada@eu.example.com', 'ada@example.com.evil.org', 'ada@notexample.com']) {
      assert.ok(!isInDomain(email, domains))
    }
  })

  it('give the strongest role, unless one disables', () => {
    const roles: RoleRule[] = [
      { claim: 'groups', value: 'staff', role: 'member' },
      { claim: 'groups', value: 'admins', role: 'admin' },
      { claim: 'groups', value: 'leavers', role: 'disabled' },
      { claim: 'email', value: 'boss@example.com', role: 'admin' },
    ]
    assert.equal(mappedRoleOf({ roles }, { sub, groups: ['admins', 'staff'] }), 'admin')
    assert.equal(mappedRoleOf({ roles }, { sub, groups: 'staff' }), 'member')
    assert.equal(mappedRoleOf({ roles }, { sub, groups: ['admins', 'leavers'] }), 'disabled')
    assert.equal(mappedRoleOf({ roles }, { sub, groups: { admins: true } }), undefined)
    assert.equal(mappedRoleOf({ roles }, { sub, email: 'boss@example.com' }), undefined)
    assert.equal(mappedRoleOf({ roles }, { sub, email: 'Boss@example.com', email_verified: true }), 'admin')
    assert.equal(mappedRoleOf({ roles: [{ claim: 'toString', value: 'x', role: 'admin' }] }, { sub }), undefined)
  })

  it('name a new user', () => {
    assert.equal(nameOfUser({ sub, name: ' Ada\u0000Lovelace ' }), 'Ada Lovelace')
    assert.equal(nameOfUser({ sub, name: '\u200b', preferred_username: 'ada' }), 'ada')
    assert.equal(nameOfUser({ sub, email: 'ada@example.com', email_verified: true }), 'ada')
    assert.equal(nameOfUser({ sub }), sub)
    assert.equal(nameOfUser({ sub, name: 'x'.repeat(500) }).length, 200)
  })
})
