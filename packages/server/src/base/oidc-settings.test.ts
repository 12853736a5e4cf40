import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { oidcIssuersOf, readConfig, unknownSettings } from '../config.js'

const single = {
  WORKLORE_URL: 'https://worklore.example.com',
  WORKLORE_OIDC_ISSUER: 'https://login.example.com/realms/acme',
  WORKLORE_OIDC_CLIENT_ID: 'worklore',
  WORKLORE_OIDC_CLIENT_SECRET: 'top-secret',
}

describe('the settings of OpenID Connect', () => {
  const folder = mkdtempSync(join(tmpdir(), 'worklore-oidc-'))
  after(() => rmSync(folder, { recursive: true }))
  const fileWith = (content: unknown): string => {
    const path = join(folder, 'oidc.json')
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
    return path
  }
  const other = { issuer: 'https://other.example', clientId: 'a', clientSecret: 'b' }

  it('describe one issuer', () => {
    const [issuer, ...more] = oidcIssuersOf(
      readConfig({ ...single, WORKLORE_OIDC_DOMAINS: 'Example.com, eu.example.com' }),
    )
    assert.equal(more.length, 0)
    assert.deepEqual(issuer, {
      issuer: 'https://login.example.com/realms/acme',
      clientId: 'worklore',
      clientSecret: 'top-secret',
      name: 'login.example.com',
      tenant: 'default',
      domains: ['example.com', 'eu.example.com'],
      roles: [],
      scope: 'openid profile email',
      audience: undefined,
    })
    assert.deepEqual(oidcIssuersOf(readConfig({})), [])
  })

  it('describe several by a file', () => {
    const roles = [{ claim: 'groups', value: 'admins', role: 'admin' }]
    const WORKLORE_OIDC = fileWith({ issuers: [{ ...other, name: 'Other', tenant: 'second', roles }] })
    const issuers = oidcIssuersOf(readConfig({ ...single, WORKLORE_OIDC }))
    assert.deepEqual(
      issuers.map(({ name, tenant, roles }) => [name, tenant, roles.length]),
      [
        ['login.example.com', 'default', 0],
        ['Other', 'second', 1],
      ],
    )
  })

  it('take the former name of the address', () => {
    assert.equal(readConfig({ WORKLORE_PUBLIC_URL: 'https://a.example' }).publicUrl, 'https://a.example')
    const both = { WORKLORE_URL: 'https://b.example', WORKLORE_PUBLIC_URL: 'https://a.example' }
    assert.equal(readConfig(both).publicUrl, 'https://b.example')
    assert.deepEqual(unknownSettings({ ...both, WORKLORE_OIDC_DOMAIN: 'x' }), ['WORKLORE_OIDC_DOMAIN'])
  })

  it('are refused with what is missing or wrong, and never with a secret', () => {
    const { WORKLORE_URL: _, ...withoutUrl } = single
    const wrong: [environment: NodeJS.ProcessEnv, message: RegExp][] = [
      [withoutUrl, /WORKLORE_URL is required/],
      [{ ...single, WORKLORE_OIDC_CLIENT_SECRET: '' }, /WORKLORE_OIDC_CLIENT_SECRET is required/],
      [{ WORKLORE_OIDC_CLIENT_ID: 'x', WORKLORE_URL: single.WORKLORE_URL }, /WORKLORE_OIDC_ISSUER is required/],
      [{ ...single, WORKLORE_OIDC_ISSUER: 'http://login.example.com' }, /WORKLORE_OIDC_ISSUER must be the https/],
      [{ ...single, WORKLORE_OIDC_ISSUER: 'https://login.example.com/?a=b' }, /WORKLORE_OIDC_ISSUER must be/],
      [{ ...single, WORKLORE_OIDC_DOMAINS: 'example.com,@x' }, /not @x/],
      [{ ...single, WORKLORE_OIDC: join(folder, 'missing.json') }, /WORKLORE_OIDC cannot be read/],
      [{ ...single, WORKLORE_OIDC: fileWith('{"issuers": "top-secret"}') }, /"issuers": must be a list/],
    ]
    const entries: [entry: unknown, message: RegExp][] = [
      [{ ...other, clientSecret: 7 }, /"issuers.0.clientSecret": must be a text/],
      [{ ...other, secret: 'top-secret' }, /"issuers.0.secret": is unknown/],
      [
        { ...other, roles: [{ claim: 'g', value: 'v', role: 'owner' }] },
        /"issuers.0.roles.0.role": must be one of admin/,
      ],
      [{ ...other, scope: 'email' }, /"issuers.0.scope"/],
      [{ ...other, domains: ['gmail'] }, /"issuers.0.domains.0": must be a domain/],
      [{ ...other, issuer: single.WORKLORE_OIDC_ISSUER }, /names an issuer twice/],
      ['x', /"issuers.0": must be an object/],
    ]
    for (const [environment, message] of wrong) assert.throws(() => readConfig(environment), message)
    for (const [entry, message] of entries) {
      const environment = { ...single, WORKLORE_OIDC: fileWith({ issuers: [entry] }) }
      assert.throws(
        () => readConfig(environment),
        (error: Error) => message.test(error.message) && !error.message.includes('top-secret'),
      )
    }
  })
})
