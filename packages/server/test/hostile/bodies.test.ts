import assert from 'node:assert/strict'
import { it } from 'node:test'
import { expectError } from 'worklore-testing/expect'
import { quietBoundMs } from 'worklore-testing/long-run'
import { describeClient } from 'worklore-testing/service-suite'

const task = (more: string): string => `{"projectId":"ACME","title":"x"${more}}`

const refused: Record<string, string | Buffer> = {
  'a million brackets': '['.repeat(1_000_000) + ']'.repeat(1_000_000),
  'objects in objects': `${'{"a":'.repeat(300_000)}1${'}'.repeat(300_000)}`,
  'depth inside a field': task(`,"labels":${'['.repeat(900_000)}${']'.repeat(900_000)}`),
  'depth with escapes': `${'{"a":'.repeat(200_000)}"\\u0000"${'}'.repeat(200_000)}`,
  'depth in few bytes': `${'['.repeat(4_000)}${']'.repeat(4_000)}`,
  '180,000 fields': `{${Array.from({ length: 180_000 }, (_, at) => `"k${at}":1`).join(',')}}`,
  '1,000 fields': `{${Array.from({ length: 1_000 }, (_, at) => `"k${at}":1`).join(',')}}`,
  '900,000 labels': task(`,"labels":[${Array(900_000).fill('1').join(',')}]`),
  'a field __proto__': task(',"__proto__":{"isAdmin":true}'),
  'a field constructor.prototype': task(',"constructor":{"prototype":{"isAdmin":true}}'),
  'fields of every object': task(',"toString":1,"hasOwnProperty":2,"valueOf":3'),
  'a project named __proto__': '{"projectId":"__proto__","title":"x"}',
  'half a surrogate pair': '{"projectId":"ACME","title":"\\ud800"}',
  'half a surrogate pair in a name': task(',"\\udc00":1'),
  NUL: '{"projectId":"ACME","title":"a\\u0000b"}',
  'bytes that are no UTF-8': Buffer.from('{"projectId":"ACME","title":"\xff\xfe"}', 'latin1'),
  'overlong UTF-8': Buffer.from('{"projectId":"ACME","title":"\xc0\xaf"}', 'latin1'),
  'a number beyond every number': '{"projectId":"ACME","title":1e400}',
  null: 'null',
  'a list': '[]',
  'a number': '1',
  'half an object': '{"projectId":"ACME","tit',
  'two objects': '{}{}',
  'a comment': '{/* */}',
}

describeClient('hostile bodies', (wl) => {
  it('are refused with a 400, soon and in few words', async () => {
    await wl.post('/v1/projects', { key: 'ACME', name: 'Acme' })
    for (const [what, rawBody] of Object.entries(refused)) {
      const startedAt = performance.now()
      const answer = await wl.request('POST', '/v1/tasks', { rawBody })
      expectError(answer, 'VALIDATION_ERROR')
      assert.ok(answer.text.length < 20_000, `${what}: an answer of ${answer.text.length} characters`)
      assert.ok(performance.now() - startedAt < quietBoundMs(2_000), `${what} kept the service busy`)
    }
    assert.equal(({} as Record<string, unknown>).isAdmin, undefined)
  })

  it('are refused as too large from one byte over the limit on', async () => {
    expectError(await wl.request('POST', '/v1/tasks', { rawBody: `"${'a'.repeat(2_097_151)}"` }), 'PAYLOAD_TOO_LARGE')
  })

  it('leave nothing behind', async () => {
    assert.deepEqual((await wl.get('/v1/tasks')).body.data, [])
  })
})
