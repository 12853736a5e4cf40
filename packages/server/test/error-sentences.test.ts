import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { sentencesOfSamples } from 'worklore-testing/error-samples'
import { httpTextOf } from '../src/http/error-sentences.js'
import { errorLine } from '../src/mcp/errors.js'
import type { OperationCall } from '../src/operations/operation.js'

const expected = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../test/${name}`, import.meta.url)), 'utf8')

const source = fileURLToPath(new URL('../../src', import.meta.url))

/** Returns the messages of errors that code outside of the interfaces throws, found in its source. */
const thrownMessages = (): string[] =>
  (readdirSync(source, { recursive: true }) as string[])
    .filter((file) => /(?<!\.test)\.ts$/.test(file) && !/^(http|mcp)\//.test(file))
    .flatMap((file) => [
      ...readFileSync(join(source, file), 'utf8').matchAll(
        /new AppError\(\s*[\w'[\]]+,\s*('(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)/g,
      ),
    ])
    .map(([, message]) => message!.replaceAll(/\$\{[^}]*\}/g, 'X'))

/** A caller whose projects cannot be read, so that no sentence lists them. */
const caller = { actor: { keyId: 'key_1' } } as unknown as OperationCall

describe('the text of each reason', () => {
  it('is a message and a hint over HTTP', async () => {
    const said = await sentencesOfSamples(({ reason, message, params }) => {
      const text = httpTextOf(reason, message, params)
      return text.hint === undefined ? text.message : `${text.message} | ${text.hint}`
    })
    assert.equal(said, expected('error-sentences.http.txt'))
  })

  it('is a line for models in MCP', async () => {
    assert.equal(await sentencesOfSamples((error) => errorLine(caller, error)), expected('error-sentences.mcp.txt'))
  })

  it('is left to the interfaces: messages name no header, route or parameter', () => {
    const messages = thrownMessages()
    assert.ok(messages.length > 50, `${messages.length} messages`)
    for (const message of messages) {
      assert.doesNotMatch(
        message,
        /\/v1\/|\b(GET|POST|PUT|PATCH|DELETE) \/|If-(None-)?Match|Worklore-Claim|\b\w+Ids?\b|retryAfter|\?\w+=/,
      )
    }
  })
})
