/** A message of the protocol, as far as a pipe looks into it. */
interface Message {
  id?: string | number
  method?: string
  params?: { name?: unknown; uri?: unknown; _meta?: Record<string, unknown> }
}

const versionMember = 'io.modelcontextprotocol/protocolVersion'
/** Requests under way at a time; the client's next ones wait. */
const mostUnderWay = 32

/** The service takes smaller messages, whatever its settings. */
const largeBytes = 1_048_576

/** Whether the other side ended a connection, as the service does with what is too large for it. */
const isClosed = (code: string | undefined): boolean =>
  code === 'EPIPE' || code === 'ECONNRESET' || code === 'UND_ERR_SOCKET'

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** A value that no header can carry as it is goes as Base64. */
const headerValue = (text: string): string =>
  /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?base64?')
    ? text
    : `=?base64?${btoa(String.fromCharCode(...new TextEncoder().encode(text)))}?=`

/** The messages of an answer: one JSON document, or those of a stream as they come. */
async function* messagesOf(response: Response): AsyncGenerator<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    const text = await response.text()
    if (text !== '') yield text
    return
  }
  let pending = ''
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    const events = (pending + chunk).split(/\r?\n\r?\n/)
    pending = events.pop()!
    for (const event of events) {
      const lines = event.split(/\r?\n/).filter((line) => line.startsWith('data:'))
      const data = lines.map((line) => line.slice(5).replace(/^ /, '')).join('\n')
      if (data !== '') yield data
    }
  }
}

/** What an answer says that is no message of the protocol, such as one to a wrong key. */
const refusalOf = (status: number, text: string): string => {
  try {
    const { error } = JSON.parse(text) as { error: { code: string; message: string } }
    return `${error.code}: ${error.message}`
  } catch {
    return `HTTP ${status}`
  }
}

/** An answer that could not name its request is the answer to the only one that was sent. */
const answerTo = ({ id }: Message, text: string): string => {
  const answer = JSON.parse(text) as { id?: unknown }
  return id !== undefined && answer.id === null ? JSON.stringify({ ...answer, id }) : text.replaceAll('\n', ' ')
}

const isProtocolMessage = (text: string): boolean => text.includes('"jsonrpc"')

export interface McpBridgeOptions {
  /** The service's address, or that of its `/mcp`. */
  baseUrl: string
  apiKey: string
  /** Takes each message for the client, without a line end. */
  write(message: string): void
  /** Told of what cannot be answered, because the client sent no id with it. */
  onError(message: string): void
}

/** Passes messages on to /mcp, one at a time or several. */
const createPipe = ({ baseUrl, apiKey, write, onError }: McpBridgeOptions) => {
  const endpoint = `${baseUrl.replace(/(\/mcp)?\/*$/, '')}/mcp`
  /** What the client and the server agreed on, where they did so at the start. */
  let negotiated: string | undefined

  const headersOf = ({ method, params }: Message): Record<string, string> => {
    const version = textOf(params?._meta?.[versionMember])
    const name = textOf(params?.name) ?? textOf(params?.uri)
    const ofMessage = version !== undefined && {
      ...(method !== undefined && { 'mcp-method': method }),
      ...(name !== undefined && { 'mcp-name': headerValue(name) }),
    }
    return {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...((version ?? negotiated) !== undefined && { 'mcp-protocol-version': (version ?? negotiated)! }),
      ...ofMessage,
    }
  }

  const failureOf = (error: Error, bytes: number): string => {
    const cause = (error.cause ?? error) as Error & { code?: string }
    if (bytes > largeBytes && isClosed(cause.code)) {
      const megabytes = (bytes / 1_048_576).toFixed(1)
      return `PAYLOAD_TOO_LARGE: The service closed the connection while it was sent a message of ${megabytes} MiB. Send a smaller one.`
    }
    return `Cannot reach ${endpoint} (${cause.message}). Check WORKLORE_URL and that the service runs.`
  }

  const fail = ({ id }: Message, message: string): void => {
    if (id === undefined) onError(message)
    else write(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_000, message } }))
  }

  return async (line: string): Promise<void> => {
    let message: Message
    try {
      const parsed: unknown = JSON.parse(line)
      // What is no object has neither an id nor a method; the server says what is wrong with it.
      message = typeof parsed === 'object' && parsed !== null ? parsed : {}
    } catch {
      write('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}')
      return
    }
    try {
      const response = await fetch(endpoint, { method: 'POST', headers: headersOf(message), body: line })
      for await (const text of messagesOf(response)) {
        if (!isProtocolMessage(text)) fail(message, refusalOf(response.status, text))
        else {
          if (message.method === 'initialize') negotiated = textOf(JSON.parse(text).result?.protocolVersion)
          write(response.ok ? text.replaceAll('\n', ' ') : answerTo(message, text))
        }
      }
    } catch (error) {
      fail(message, failureOf(error as Error, new TextEncoder().encode(line).length))
    }
  }
}

/** The lines of the client's messages. Those of `readline` also end at characters that JSON may contain. */
async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  const pieces: string[] = []
  for await (const chunk of chunks) {
    const [end, ...rest] = chunk.split('\n')
    pieces.push(end!)
    for (const beginning of rest) {
      yield pieces.splice(0).join('')
      pieces.push(beginning)
    }
  }
  yield pieces.join('')
}

/**
 * Passes every line of an input, such as standard input, on to the `/mcp` of a service, and its answers back: for
 * clients of the Model Context Protocol that run a command instead of connecting to a URL. Ends with the input.
 */
export const runMcpBridge = async (input: AsyncIterable<string>, options: McpBridgeOptions): Promise<void> => {
  const pass = createPipe(options)
  const underWay = new Set<Promise<void>>()
  for await (const line of linesOf(input)) {
    if (line.trim() === '') continue
    const passed = pass(line).finally(() => underWay.delete(passed))
    underWay.add(passed)
    // What was agreed on at the start holds for all that follows.
    if (line.includes('"initialize"')) await passed
    if (underWay.size >= mostUnderWay) await Promise.race(underWay)
  }
  await Promise.all(underWay)
}
