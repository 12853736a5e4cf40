import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { foldEmail, isPlainEmail, isSameEmail } from './email.js'

describe('e-mail addresses', () => {
  it('are compared without regard to the case of ASCII letters alone', () => {
    assert.equal(foldEmail('Jürgen.ÄRGER@Example.COM'), 'jürgen.Ärger@example.com')
    assert.ok(isSameEmail('Mike@Example.com', 'mike@example.com'))
    for (const other of ['mi\u212ae@example.com', 'mike@exampl\u00c9.com', 'm\u0130ke@example.com']) {
      assert.ok(!isSameEmail(other, 'mike@example.com'), other)
      assert.ok(!isSameEmail(other, other.toLowerCase()), other)
    }
  })

  it('contain no compatibility characters, spaces, NUL or second @', () => {
    for (const plain of ['ada@example.com', 'jürgen@exämple.de', '小野@例え.jp']) assert.ok(isPlainEmail(plain), plain)
    const wrong = [
      'mi\u212ae@example.com',
      'ada\uff20example.com',
      'ada@example\uff0ecom',
      '\uff41da@example.com',
      'o\ufb03ce@a.de',
    ]
    for (const email of [
      ...wrong,
      'a\u0308da@a.de',
      'a da@a.de',
      'a@b@a.de',
      'a\0@a.de',
      '\ud800@a.de',
      `${'x'.repeat(320)}@a.de`,
    ]) {
      assert.ok(!isPlainEmail(email), email)
    }
  })
})
