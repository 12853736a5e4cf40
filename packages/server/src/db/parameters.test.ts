import assert from 'node:assert/strict'
import { it } from 'node:test'
import { replaceParameters } from './parameters.js'

const numbered = (text: string): string => replaceParameters(text, (at) => `$${at + 1}`)

it('numbers parameters in their order', () => {
  assert.equal(numbered('select ? where tenant_id = ? and id = ?'), 'select $1 where tenant_id = $2 and id = $3')
})

it('repeats the parameter of the tenant, before and after it', () => {
  assert.equal(
    numbered('select u.tenant_id = :tenant, ? from t where t.tenant_id = ? and id = ? and p.tenant_id = :tenant'),
    'select u.tenant_id = $2, $1 from t where t.tenant_id = $2 and id = $3 and p.tenant_id = $2',
  )
  assert.equal(
    numbered('where tenant_id = cast(? as text) or :tenant = ?'),
    'where tenant_id = cast($1 as text) or $1 = $2',
  )
})

it('refuses to repeat a parameter that is missing', () => {
  assert.throws(() => numbered('select 1 from users where tenant_id = :tenant and id = ?'), /:tenant/)
})
