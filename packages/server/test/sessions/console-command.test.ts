import assert from 'node:assert/strict'
import { it } from 'node:test'
import { addKey, signIn, trade } from 'worklore-testing/console-session'
import { expectError } from 'worklore-testing/expect'
import { environmentOf, runProgram } from 'worklore-testing/program'
import { describeService } from 'worklore-testing/service-suite'

describeService('worklore console, while the service runs,', (wl) => {
  const run = (words: string[] = [], settings: Record<string, string> = {}) =>
    runProgram(['console', ...words], { ...environmentOf(wl.store), ...settings })
  const linkIn = (text: string): string => /\/console\/#link=(\S+)\n$/.exec(text)![1]!

  it('prints a link that signs in once, as the first admin key or another', async () => {
    const reader = await addKey(wl, { name: 'reader', scopes: ['tasks:read'] })
    const [first, other] = await Promise.all([
      run([], { PORT: '8787', HOST: '0.0.0.0' }),
      run(['--tenant', 'default', '--key', reader.id], { WORKLORE_PUBLIC_URL: 'https://worklore.example.com' }),
    ])
    assert.ok(first.stdout.startsWith('http://localhost:8787/console/#link=wl_link_'), first.stderr)
    const browser = await signIn(wl, { link: linkIn(first.stdout) })
    const { data: me } = (await browser.get('/v1/me')).body
    assert.deepEqual([me.key.name, me.scopes], ['admin', ['admin']])
    expectError(await trade(wl, { link: linkIn(first.stdout) }), 'UNAUTHORIZED')
    assert.equal((await signIn(wl, { link: linkIn(other.stdout) })).session.keyId, reader.id)
    assert.ok(other.stdout.startsWith('https://worklore.example.com/console/#link='))
  })

  it('says what it needs', async () => {
    const wrong = [run(['--tenant', 'nobody']), run(['--key', 'key_nobody'])]
    const messages = [/Tenant "nobody" not found/, /API key "key_nobody" not found/]
    for (const [at, { code, stdout, stderr }] of (await Promise.all(wrong)).entries()) {
      assert.deepEqual([code, stdout], [1, ''])
      assert.match(stderr, messages[at]!)
    }
  })
})
