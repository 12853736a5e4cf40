import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newSecret } from '../base/secret.js'
import { createRedaction } from './logger.js'

const everyByte = (text: string): string => [...Buffer.from(text)].map((byte) => `%${byte.toString(16)}`).join('')

describe('the log', () => {
  const own = 'an/operator%s+own=key!0123456789-abcdef'
  const webhook = 'whsec_ab+cd/ef=='
  const redact = createRedaction([own, undefined])

  it('shows no secret, however it is percent-encoded', () => {
    for (const secret of [newSecret(), own, webhook]) {
      const encodings = [
        secret,
        encodeURIComponent(secret),
        everyByte(secret),
        everyByte(secret).toUpperCase(),
        encodeURIComponent(everyByte(secret)),
        secret.replace('_', '%5F'),
      ]
      for (const encoded of encodings) {
        const line = redact(JSON.stringify({ url: `/v1/tasks?label=${encoded}&x=%22` }))
        assert.match(line, /\[redacted\]/, encoded)
        assert.ok(!line.includes(encoded.slice(-12)), line)
        assert.match(JSON.parse(line).url, /^\/v1\/tasks\?label=/)
      }
    }
  })

  it('leaves other lines as they are', () => {
    for (const line of ['{"url":"/v1/knowledge/guides%2Fsetup?x=%C3%A9%zz"}', '{"msg":"100%"}', '{}']) {
      assert.equal(redact(line), line)
    }
  })
})
