import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newSecretKey, parseSecretKeys } from '../../base/secret-key.js'
import { decrypt, encrypt, keyIdOf } from './encryption.js'

describe('the encryption of secrets', () => {
  const key = newSecretKey()

  it('gives back what was encrypted, and never the same text twice', () => {
    const [first, second] = [encrypt(key, 'here', 'whsec_öä'), encrypt(key, 'here', 'whsec_öä')]
    assert.equal(decrypt(key, 'here', first), 'whsec_öä')
    assert.notEqual(first, second)
    assert.ok(!first.includes('whsec'))
    assert.equal(keyIdOf(first), key.id)
    assert.equal(keyIdOf('whsec_plain'), undefined)
  })

  it('refuses another place, another key and a changed text', () => {
    const text = encrypt(key, 'tenant a', 'whsec_1')
    assert.throws(() => decrypt(key, 'tenant b', text))
    assert.throws(() => decrypt(newSecretKey(), 'tenant a', text))
    const [version, id, data = ''] = text.split(':')
    for (let at = 0; at < data.length - 2; at += 7) {
      const changed = data.slice(0, at) + (data[at] === 'A' ? 'B' : 'A') + data.slice(at + 1)
      assert.throws(() => decrypt(key, 'tenant a', [version, id, changed].join(':')))
    }
    assert.throws(() => decrypt(key, 'tenant a', `${version}:${id}:`))
  })

  it('takes keys of 32 bytes in base64 or hex', () => {
    const { bytes, id } = key
    const forms = [bytes.toString('base64'), bytes.toString('base64url'), bytes.toString('hex')]
    for (const form of forms) assert.equal(parseSecretKeys(form)[0]!.id, id)
    assert.equal(parseSecretKeys(forms.join(',')).length, 3)
    assert.deepEqual(parseSecretKeys(''), [])
    for (const wrong of ['short', `${forms[2]}00`, 'x'.repeat(64), Buffer.alloc(31).toString('base64')]) {
      assert.throws(() => parseSecretKeys(wrong), /32 bytes in base64 or hex/)
    }
  })
})
