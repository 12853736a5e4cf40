import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { traceparentOf } from './traceparent.js'

const ids = '0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

describe('traceparentOf', () => {
  it('takes a valid header, of a later version without what that appends', () => {
    assert.equal(traceparentOf(`00-${ids}`), `00-${ids}`)
    assert.equal(traceparentOf(`cc-${ids}`), `00-${ids}`)
    assert.equal(traceparentOf(`01-${ids}-what-follows`), `00-${ids}`)
  })

  it('ignores all others', () => {
    const invalid = [
      undefined,
      ['a', 'b'],
      '',
      ids,
      `00-${ids}-`,
      `00-${ids}-more`,
      `00-${ids}, 00-${ids}`,
      `ff-${ids}`,
      `0-${ids}`,
      `00-${ids.toUpperCase()}`,
      `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
      `00-0af7651916cd43dd8448eb211c80319c-${'0'.repeat(16)}-01`,
      `01-${ids}more`,
      ` 00-${ids}`,
      `00-${ids}\n`,
    ]
    for (const header of invalid) assert.equal(traceparentOf(header), undefined, String(header))
  })
})
