import assert from 'node:assert/strict'
import { it } from 'node:test'
import { expectError, expectInvalid, expectStatus } from 'worklore-testing/expect'
import { createKey } from 'worklore-testing/factories'
import { describeService, describeTenant } from 'worklore-testing/service-suite'
import { readConfig } from '../../src/config.js'

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })

describeService(
  'a key limited to addresses',
  (wl) => {
    it('is good from there alone', async () => {
      const allowedAddresses = ['203.0.113.0/24', '2001:db8::/32']
      const made = await createKey(wl, { allowedAddresses })
      const { id, key } = made
      assert.deepEqual(made.allowedAddresses, allowedAddresses)
      assert.deepEqual((await wl.get(`/v1/keys/${id}`)).body.data.allowedAddresses, allowedAddresses)
      for (const address of ['203.0.113.9', '2001:db8::9', '::ffff:203.0.113.9']) {
        expectStatus(await wl.get('/v1/me', { key, ...from(address) }), 200)
      }
      for (const address of ['203.0.114.9', '2001:db9::9', '127.0.0.1']) {
        const answer = await wl.get('/v1/me', { key, ...from(address) })
        const error = expectError(answer, 'FORBIDDEN')
        assert.equal(error.reason, 'address')
        assert.match(error.message, /change its allowed addresses/)
        assert.equal(answer.headers['x-ratelimit-limit'], '60', 'counted as a caller without a key')
      }
    })

    it('is not good from what is no address', async () => {
      const { key } = await createKey(wl, { allowedAddresses: ['203.0.113.9', 'fe80::/10', '127.0.0.1'] })
      expectStatus(await wl.get('/v1/me', { key, ...from('fe80::9%eth0') }), 200)
      expectStatus(await wl.get('/v1/me', { key, ...from('203.0.113.9, 198.51.100.1') }), 200)
      const malformed = [
        '203.0.113.9%eth0',
        '203.0.113.9,',
        ',203.0.113.9',
        ' , 203.0.113.9',
        '203.0.113.9:80',
        '203.0.113',
      ]
      for (const address of [...malformed, '0313.0.113.9', '::ffff:203.0.113.9%eth0', '203.0.113.9/32', ',']) {
        const error = expectError(await wl.get('/v1/me', { key, ...from(address) }), 'FORBIDDEN')
        assert.equal(error.reason, 'address', address)
      }
    })

    it('is changed and freed at once', async () => {
      const { id, key } = await createKey(wl, { allowedAddresses: ['192.0.2.1'] })
      expectError(await wl.get('/v1/me', { key }), 'FORBIDDEN')
      expectStatus(await wl.patch(`/v1/keys/${id}`, { allowedAddresses: ['127.0.0.1'] }), 200)
      expectStatus(await wl.get('/v1/me', { key }), 200)
      expectStatus(await wl.patch(`/v1/keys/${id}`, { allowedAddresses: null }), 200)
      expectStatus(await wl.get('/v1/me', { key, ...from('198.51.100.1') }), 200)
    })

    it('takes addresses and ranges alone', async () => {
      const body = { name: 'x', scopes: ['tasks:read'] }
      expectInvalid(await wl.post('/v1/keys', { ...body, allowedAddresses: [] }), 'allowedAddresses')
      const wrong = ['example.com', '10.0.0.0/33', '10.0.0.1']
      expectInvalid(
        await wl.post('/v1/keys', { ...body, allowedAddresses: wrong }),
        'allowedAddresses.0',
        'allowedAddresses.1',
      )
    })

    it('makes, changes and rotates no key that is good from elsewhere', async () => {
      const admin = await createKey(wl, { scopes: ['admin'], allowedAddresses: ['127.0.0.0/8'] })
      const free = await createKey(wl)
      const { key } = admin
      const body = { name: 'x', scopes: ['tasks:read'] }
      expectError(await wl.post('/v1/keys', body, { key }), 'FORBIDDEN')
      expectError(await wl.post('/v1/keys', { ...body, allowedAddresses: ['0.0.0.0/0'] }, { key }), 'FORBIDDEN')
      expectStatus(await wl.post('/v1/keys', { ...body, allowedAddresses: ['127.0.0.1'] }, { key }), 201)
      expectError(await wl.patch(`/v1/keys/${admin.id}`, { allowedAddresses: null }, { key }), 'FORBIDDEN')
      expectError(await wl.post(`/v1/keys/${free.id}/rotate`, {}, { key }), 'FORBIDDEN')
    })
  },
  { config: { trustProxy: readConfig({ TRUST_PROXY: 'true' }).trustProxy } },
)

describeTenant('a key limited to addresses, without a trusted proxy', (wl) => {
  it('does not believe X-Forwarded-For', async () => {
    const { key } = await createKey(wl, { allowedAddresses: ['203.0.113.9'] })
    expectError(await wl.get('/v1/me', { key, ...from('203.0.113.9') }), 'FORBIDDEN')
  })
})
