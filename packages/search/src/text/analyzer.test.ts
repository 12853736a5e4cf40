import assert from 'node:assert/strict'
import { test } from 'node:test'
import { analyze } from './analyzer.js'

// Forms, which add no length, stand in brackets.
const words = (text: string) => {
  const found: string[] = []
  analyze(text, (word, isVariant) => found.push(isVariant ? `(${word})` : word))
  return found.join(' ')
}

test('keeps identifiers whole, joined and in parts', () => {
  assert.equal(words('ACME-123'), 'acme 123 (acme123) (acme-123)')
  assert.equal(words('snake_case'), 'snake case (snakecase) (snake_case)')
  assert.equal(words('camelCase'), 'camel case (camelcase)')
  assert.equal(words('parseHTTPUrl2'), 'parse http url (parsehttpurl2)')
  assert.equal(words('src/db/migrate.ts'), 'src db migrate ts (srcdbmigratets) (src/db/migrate.ts)')
  assert.equal(words('v1.2.3'), 'v1 2 3 (v123) (v1.2.3)')
  assert.equal(words('ERR_FOO E1234 TS2345'), 'err foo (errfoo) (err_foo) 1234 (e1234) 2345 (ts2345)')
  assert.equal(words('C++ and F#'), 'c (c++) (f#)')
})

test('drops stop words and what an apostrophe adds', () => {
  assert.equal(words("Don't we'll see Anna’s shell, I'd say: the l'avion"), 'see anna shell avion (lavion)')
  assert.equal(words('a time-sharing system'), 'time sharing (timesharing) system')
})

test('makes one of the ways to write a letter', () => {
  assert.equal(words('Café NAÏVE ﬁne ＦＵＬＬ Straße ΟΔΟΣ'), 'cafe naive fine full strasse οδοσ')
  assert.equal(words('हिन्दी йод'), 'हिन्दी йод')
})

test('reads scripts without spaces as characters and pairs', () => {
  assert.equal(words('全文検索'), '全 文 全文 検 文検 索 検索')
  assert.equal(words('𠮷野'), '𠮷 野 𠮷野')
  assert.equal(words('ไทย'), 'ไ ท ไท ย ทย')
  assert.equal(words('한국 go 🚀'), '한 국 한국 go 🚀')
})

test('cuts what is too long to be a word', () => {
  assert.equal(words('x'.repeat(500)).length, 64)
  assert.equal(words('').length, 0)
})

test('takes nothing short out of a code, and makes one of a number with commas', () => {
  assert.equal(words('i18n a11y k8s x86 2FA ec2'), 'i18n a11y k8s x86 2fa ec2')
  assert.equal(words('sha256'), 'sha 256 (sha256)')
  assert.equal(words('1,250,000 rows'), '1250000 rows')
  assert.equal(words('1,2,3 and 12,34'), '1 2 3 12 34')
})
