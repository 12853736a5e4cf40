import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RequestError } from '@octokit/request-error'
import { createPacing } from '../src/github/pacing.js'

const refusal = (status: number, headers: Record<string, string> = {}, message = 'refused'): RequestError => {
  const request = { method: 'GET' as const, url: 'https://api.github.com/', headers: {} }
  return new RequestError(message, status, {
    request,
    response: { status, url: request.url, headers, data: {} },
  })
}

/** Requests that fail in turn, on a clock of their own. */
const paced = (failures: unknown[]) => {
  let nowMs = 1_000_000
  const waits: number[] = []
  const pacing = createPacing({
    writeSpacingMs: 1_000,
    onWait: () => {},
    now: () => nowMs,
    sleep: async (ms) => {
      waits.push(ms)
      nowMs += ms
    },
  })
  let sent = 0
  const send = (method: string, prepare?: () => Promise<void>) =>
    pacing.run({ method, prepare }, async () => {
      sent++
      const failure = failures.shift()
      if (failure) throw failure
      return { headers: {} }
    })
  return { send, waits, sentCount: () => sent, nowMs: () => nowMs }
}

describe('the pace of requests to GitHub', () => {
  it('waits as long as it is told to', async () => {
    const { send, waits, sentCount } = paced([
      refusal(403, { 'retry-after': '7' }),
      refusal(429, { 'retry-after': '2' }),
    ])
    await send('GET')
    assert.deepEqual([waits, sentCount()], [[7_000, 2_000], 3])
  })

  it('waits until a used up limit opens again', async () => {
    const { send, waits } = paced([refusal(403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1060' })])
    await send('GET')
    assert.deepEqual(waits, [61_000])
  })

  it('waits a minute, then two, where a secondary limit names no time', async () => {
    const limit = () => refusal(403, {}, 'You have exceeded a secondary rate limit.')
    const { send, waits } = paced([limit(), limit()])
    await send('POST')
    assert.deepEqual(waits, [60_000, 120_000])
  })

  it('repeats what can be repeated, and no POST whose fate is unknown', async () => {
    const reads = paced([refusal(502), refusal(500)])
    await reads.send('GET')
    assert.equal(reads.sentCount(), 3)
    const writes = paced([refusal(502)])
    await assert.rejects(writes.send('POST'), { status: 502 })
    assert.equal(writes.sentCount(), 1)
    const denied = paced([refusal(403)])
    await assert.rejects(denied.send('GET'), { status: 403 })
  })

  it('spaces writes, sends one request at a time, and prepares right before each attempt', async () => {
    const { send, waits, nowMs } = paced([undefined, refusal(429, { 'retry-after': '5' })])
    const prepared: number[] = []
    const prepare = async (): Promise<void> => void prepared.push(nowMs())
    await Promise.all([send('PATCH', prepare), send('POST', prepare)])
    assert.deepEqual(waits, [1_000, 5_000])
    assert.deepEqual(prepared, [1_000_000, 1_001_000, 1_006_000])
  })
})
