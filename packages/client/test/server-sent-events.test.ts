import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readServerSentEvents, type ServerSentEvent } from '../src/server-sent-events.js'

const positions: string[] = []

const read = async (chunks: (string | Uint8Array)[]): Promise<ServerSentEvent[]> => {
  async function* bytes() {
    for (const chunk of chunks) yield typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk
  }
  const events: ServerSentEvent[] = []
  for await (const event of readServerSentEvents(
    bytes(),
    () => {},
    (id) => positions.push(id),
  ))
    events.push(event)
  return events
}

const text =
  ': hello\r\n\r\nretry: 1000\n\nid: 7\nevent: end\ndata: {"ä":"🙂"}\ndata:two\n\nid:8\rdata: x: y\r\rdata: cut'
const expected = [
  { id: '7', event: 'end', data: '{"ä":"🙂"}\ntwo' },
  { id: '8', event: 'message', data: 'x: y' },
]

describe('server-sent events', () => {
  it('tell of an id that comes without data', async () => {
    positions.length = 0
    assert.deepEqual(await read(['retry: 1000\nid: 4\n\n: still here\nid: 9\n\n']), [])
    assert.deepEqual(positions, ['4', '9'])
  })

  it('are read with any line end, over several lines, without comments and without what the end cuts', async () => {
    assert.deepEqual(await read([text]), expected)
  })

  it('are the same however the bytes are divided', async () => {
    const bytes = new TextEncoder().encode(text)
    for (let at = 1; at < bytes.length; at++) {
      assert.deepEqual(await read([bytes.slice(0, at), bytes.slice(at)]), expected, `divided at ${at}`)
    }
    assert.deepEqual(await read(Array.from(bytes, (byte) => Uint8Array.of(byte))), expected)
  })
})
