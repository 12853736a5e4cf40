import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { chooseEncoding } from './encodings.js'

describe('Accept-Encoding', () => {
  it('chooses what the client prefers, Brotli where it does not matter', () => {
    const cases: [header: string | undefined, encoding: string | undefined][] = [
      [undefined, undefined],
      ['', undefined],
      ['gzip', 'gzip'],
      ['gzip, deflate, br, zstd', 'br'],
      ['GZIP;q=1.0, br;q=0.5', 'gzip'],
      ['br;q=0, gzip', 'gzip'],
      ['br;q=0, gzip;q=0', undefined],
      ['*', 'br'],
      ['*;q=0.1, br;q=0', 'gzip'],
      ['*;q=0', undefined],
      ['identity', undefined],
      ['identity;q=1, gzip;q=0.5', undefined],
      ['identity;q=0.5, gzip', 'gzip'],
      ['deflate', undefined],
      ['gzip;q=oops', 'gzip'],
      [',;,=;q', undefined],
    ]
    for (const [header, encoding] of cases) assert.equal(chooseEncoding(header), encoding, header)
  })
})
