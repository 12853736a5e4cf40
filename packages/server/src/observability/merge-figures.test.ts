import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { mergeFigures } from './merge-figures.js'

const textOf = (value: number): string => `# HELP up Whether it is up
# TYPE up gauge
up ${value}

# HELP took_seconds Time
# TYPE took_seconds histogram
took_seconds_bucket{route="/v1/{a} b",le="0.1"} ${value}
took_seconds_sum{} ${value}
`

describe('figures of several processes', () => {
  it('are one text, each with the process it is of, and those of a family together', () => {
    const merged = mergeFigures(
      new Map([
        [1, textOf(7)],
        [3, textOf(9)],
      ]),
    )
    assert.equal(
      merged,
      `# HELP up Whether it is up
# TYPE up gauge
up{process="1"} 7
up{process="3"} 9

# HELP took_seconds Time
# TYPE took_seconds histogram
took_seconds_bucket{process="1",route="/v1/{a} b",le="0.1"} 7
took_seconds_sum{process="1"} 7
took_seconds_bucket{process="3",route="/v1/{a} b",le="0.1"} 9
took_seconds_sum{process="3"} 9
`,
    )
  })
})
