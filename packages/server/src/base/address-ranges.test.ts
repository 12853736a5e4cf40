import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { areWithin, isAllowedAddress, parseRange } from './address-ranges.js'

describe('address ranges', () => {
  it('hold the addresses of their network, of either version', () => {
    const cases: [range: string, address: string, isIn: boolean][] = [
      ['203.0.113.7', '203.0.113.7', true],
      ['203.0.113.7', '203.0.113.8', false],
      ['203.0.113.7', '::ffff:203.0.113.7', true],
      ['203.0.113.7', '::ffff:cb00:7107', true],
      ['10.0.0.0/8', '10.255.255.255', true],
      ['10.0.0.0/8', '11.0.0.0', false],
      ['10.1.2.3/8', '10.9.9.9', true],
      ['0.0.0.0/0', '198.51.100.1', true],
      ['0.0.0.0/0', '2001:db8::1', false],
      ['::/0', '198.51.100.1', true],
      ['2001:db8::/32', '2001:db8:ffff::1', true],
      ['2001:db8::/32', '2001:db9::', false],
      ['2001:db8::1', '2001:0DB8:0:0:0:0:0:1', true],
      ['fe80::/10', 'fe80::1%eth0', true],
      ['::ffff:10.0.0.0/104', '10.2.3.4', true],
      ['::1', '127.0.0.1', false],
      ['203.0.113.7', '203.0.113.7%eth0', false],
      ['203.0.113.7', '::ffff:203.0.113.7%eth0', false],
      ['2001:db8::1', '2001:db8::1%eth0', false],
      ['203.0.113.7', '0313.0.113.7', false],
      ['203.0.113.7', '203.0.29447', false],
      ['203.0.113.7', '203.0.113.7,', false],
      ['10.0.0.0/8', 'unix:', false],
      ['10.0.0.0/8', '', false],
    ]
    for (const [range, address, isIn] of cases) {
      assert.equal(isAllowedAddress([range], address), isIn, `${address} in ${range}`)
    }
    assert.ok(isAllowedAddress(['203.0.113.7', '10.0.0.0/8'], '10.1.1.1'))
  })

  it('are refused in any other form', () => {
    for (const text of [
      '',
      'localhost',
      '10.0.0',
      '10.0.0.0/33',
      '10.0.0.0/',
      '10.0.0.0/-1',
      '10.0.0.0/8/8',
      '::/129',
    ]) {
      assert.equal(parseRange(text), undefined, text)
    }
    for (const text of ['01.2.3.4', '1.2.3.4 ', '10.0.0.0/8a', 'fe80::1%eth0', '2001:db8::/3x', '300.1.1.1']) {
      assert.equal(parseRange(text), undefined, text)
    }
  })

  it('lie within others, or do not', () => {
    assert.ok(areWithin(null, null))
    assert.ok(areWithin(null, ['10.0.0.0/8']))
    assert.ok(areWithin(['10.0.0.0/8', '::1'], ['10.1.0.0/16', '::1']))
    assert.ok(!areWithin(['10.0.0.0/8'], ['10.0.0.0/7']))
    assert.ok(!areWithin(['10.0.0.0/8'], ['10.0.0.1', '192.0.2.1']))
    assert.ok(!areWithin(['10.0.0.0/8'], null))
  })
})
