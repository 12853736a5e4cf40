import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createAddressRule } from '../../base/address-ranges.js'
import { createTargets } from './target.js'

const inside = [
  'https://127.0.0.1/',
  'https://127.1/',
  'https://2130706433/',
  'https://0x7f.1/',
  'https://0x7f000001/',
  'https://0177.0.0.1/',
  'https://017700000001/',
  'https://127.0.0.1./',
  'https://%31%32%37.0.0.1/',
  'https://127。0。0。1/',
  'https://①②⑦.0.0.1/',
  'https://0.0.0.0/',
  'https://0/',
  'https://10.1.2.3/',
  'https://172.16.0.1/',
  'https://192.168.1.1/',
  'https://100.64.0.1/',
  'https://100.100.100.200/latest/meta-data/',
  'https://169.254.169.254/latest/meta-data/',
  'https://168.63.129.16/',
  'https://192.0.0.192/',
  'https://198.18.0.1/',
  'https://224.0.0.1/',
  'https://255.255.255.255/',
  'https://[::1]/',
  'https://[::]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://[0:0:0:0:0:ffff:7f00:0001]/',
  'https://[::127.0.0.1]/',
  'https://[64:ff9b::127.0.0.1]/',
  'https://[64:ff9b:1::a00:1]/',
  'https://[2002:7f00:1::]/',
  'https://[2001:0:7f00:1::]/',
  'https://[fe80::1]/',
  'https://[fc00::1]/',
  'https://[fd00:ec2::254]/',
  'https://[fec0::1]/',
  'https://[ff02::1]/',
  'https://localhost/',
  'https://LOCALHOST:8787/',
  'https://api.localhost/',
  'https://metadata/',
  'https://metadata.google.internal/',
]

const malformed = [
  'http://93.184.215.14/',
  'ftp://93.184.215.14/',
  'file:///etc/passwd',
  'gopher://93.184.215.14/',
  'https://user@93.184.215.14/',
  'https://user:secret@93.184.215.14/',
  'https://93.184.215.14/#part',
  'https://',
  '//93.184.215.14/',
  'not an address',
]

describe('where webhooks may be sent', () => {
  const targets = createTargets([])

  for (const url of inside) {
    it(`refuses ${url}`, () =>
      assert.rejects(targets.check(url), { code: 'VALIDATION_ERROR', message: /not on the public internet/ }))
  }
  for (const url of malformed) {
    it(`refuses ${url}`, () => assert.rejects(targets.check(url), { code: 'VALIDATION_ERROR' }))
  }
  for (const url of ['https://93.184.215.14/hook', 'https://[2606:4700::1111]:8443/hook']) {
    it(`takes ${url}`, () => targets.check(url))
  }

  it('takes what the operator allows, by plain http too, and nothing beside it', async () => {
    const allowing = createTargets(['10.0.0.0/8', '::1/128'])
    await allowing.check('http://10.20.30.40:8080/hook')
    await allowing.check('https://10.20.30.40/hook')
    await allowing.check('http://[::1]/hook')
    await allowing.check('http://[::ffff:10.0.0.1]/hook')
    await assert.rejects(allowing.check('http://192.168.0.1/hook'))
    await assert.rejects(allowing.check('http://93.184.215.14/hook'), /https/)
  })

  it('refuses a name that resolves to the inside, whenever it does', async () => {
    await assert.rejects(targets.resolve(new URL('https://localhost/')), /not on the public internet/)
  })

  it('judges the connected address by itself', () => {
    const judge = createAddressRule(['127.0.0.1'])
    assert.equal(judge('::ffff:127.0.0.1'), 'allowed')
    assert.equal(judge('127.0.0.2'), 'refused')
    assert.equal(judge('fe80::1%eth0'), 'refused')
    assert.equal(judge(''), 'refused')
    assert.equal(judge('8.8.8.8'), 'public')
  })
})
