export interface ServerSentEvent {
  id: string
  event: string
  data: string
}

/**
 * Reads a stream of server-sent events; `onChunk` is told of every sign of life, comments included, and `onPosition` of
 * an id that comes without data. An event that the end of the stream cuts is dropped, as the standard says.
 */
export async function* readServerSentEvents(
  chunks: AsyncIterable<Uint8Array>,
  onChunk: () => void,
  onPosition: (id: string) => void,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const decoder = new TextDecoder()
  let rest = ''
  let id = ''
  let event = ''
  let data: string[] = []
  for await (const chunk of chunks) {
    onChunk()
    rest += decoder.decode(chunk, { stream: true })
    // A carriage return at the end may be the first half of a line's end.
    const lines = rest.split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop()!
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) yield { id, event: event || 'message', data: data.join('\n') }
        else if (id !== '') onPosition(id)
        event = ''
        data = []
        continue
      }
      const [, field, text = ''] = /^([^:]*)(?:: ?([\s\S]*))?$/.exec(line)!
      if (field === 'data') data.push(text)
      else if (field === 'event') event = text
      else if (field === 'id') id = text
    }
  }
}
