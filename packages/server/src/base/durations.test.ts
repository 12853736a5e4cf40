import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createDurations } from './durations.js'

it('counts a duration in its bucket and in all above it', () => {
  const durations = createDurations('wait_seconds', 'Waiting', [0.1, 1])
  const observe = durations.series({ route: '/a"b' })
  for (const seconds of [0.05, 0.1, 0.5, 3]) observe(seconds)
  assert.equal(
    durations.text(),
    `# HELP wait_seconds Waiting
# TYPE wait_seconds histogram
wait_seconds_bucket{route="/a\\"b",le="0.1"} 2
wait_seconds_bucket{route="/a\\"b",le="1"} 3
wait_seconds_bucket{route="/a\\"b",le="+Inf"} 4
wait_seconds_sum{route="/a\\"b"} 3.65
wait_seconds_count{route="/a\\"b"} 4
`,
  )
})
