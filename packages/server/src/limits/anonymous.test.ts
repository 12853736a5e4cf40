import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { clientOf } from '../base/client-address.js'
import { createAnonymousLimiter } from './anonymous.js'

describe('a client without a key', () => {
  it('is its IPv4 address, however that is written, or its /64 of IPv6', () => {
    const clients = {
      '10.1.2.3': '10.1.2.3',
      '::ffff:10.1.2.3': '10.1.2.3',
      '::FFFF:a01:203': '10.1.2.3',
      '0:0:0:0:0:ffff:10.1.2.3': '10.1.2.3',
      '2001:db8:1:2:3:4:5:6': '2001:db8:1:2::/64',
      '2001:0DB8:0001:0002::1': '2001:db8:1:2::/64',
      '2001:db8:1:2::': '2001:db8:1:2::/64',
      '2001:db8::5': '2001:db8:0:0::/64',
      '2001:db8::1:2:3:4:5': '2001:db8:0:1::/64',
      '::1': '0:0:0:0::/64',
      'fe80::1%eth0': 'fe80:0:0:0::/64',
      '64:ff9b::10.1.2.3': '64:ff9b:0:0::/64',
      '': '',
    }
    for (const [address, client] of Object.entries(clients)) assert.equal(clientOf(address), client, address)
  })

  it('passes 60 times a minute, apart from every other', () => {
    let nowMs = 1_000_000
    const limiter = createAnonymousLimiter(
      () => nowMs,
      () => nowMs,
    )
    const take = () => limiter.take('2001:db8:1:2::1')
    assert.equal(Array.from({ length: 200 }, take).filter(({ isAllowed }) => isAllowed).length, 60)
    const refused = limiter.take('2001:db8:1:2::ffff')
    assert.equal(refused.isAllowed, false)
    assert.equal(refused.retryAfter, 60)
    assert.equal(refused.shown.name, 'anonymous requests per minute')
    assert.deepEqual(limiter.look('2001:db8:1:2::1'), refused)
    assert.equal(limiter.look('2001:db8:1:3::1').shown.remaining, 60)
    assert.equal(limiter.take('2001:db8:1:3::1').shown.remaining, 59)
    assert.equal(limiter.look('2001:db8:1:3::1').shown.remaining, 59)
    nowMs += 60_000
    assert.equal(take().shown.remaining, 59)
  })

  it('is forgotten when its minute is over, or when the table is full and its window the oldest', () => {
    let nowMs = 1_000_000
    const limiter = createAnonymousLimiter(
      () => nowMs,
      () => nowMs,
      100,
    )
    for (let i = 0; i < 5_000; i++) limiter.take(`10.0.${i >> 8}.${i & 255}`)
    assert.equal(limiter.size(), 100)
    assert.equal(limiter.take('10.0.19.135').shown.remaining, 58)
    assert.equal(limiter.take('10.0.0.0').shown.remaining, 59)
    nowMs += 60_000
    limiter.take('10.9.9.9')
    assert.equal(limiter.size(), 1)
  })
})
