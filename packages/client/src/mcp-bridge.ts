import { ownExchange } from '#own-exchange'
import { reasonOf } from './deadline.js'
import type { WireAnswer } from './exchange.js'
import { headersOf } from './headers.js'
import { backoffMs, gatewayStatuses } from './retry.js'
import { sleep } from './sleep.js'

/** A message of the protocol, as far as a pipe looks into it. */
interface Message {
  id?: string | number
  method?: string
  params?: { name?: unknown; uri?: unknown; _meta?: Record<string, unknown> }
}

const versionMember = 'io.modelcontextprotocol/protocolVersion'
/** Requests under way at a time; the client's next ones wait. */
const maxUnderWay = 32

/** The service takes smaller messages, whatever its settings. */
const largeBytes = 1_048_576

/** A service that restarts is back within this. */
const maxAwayMs = 30_000
const maxPauseMs = 2_000

interface Failure extends Error {
  code?: string
  syscall?: string
}

const causeOf = (error: Failure): Failure => (error.code === undefined && (error.cause as Failure)) || error

/** Whether the other side ended a connection, as the service does with what is too large for it. */
const isClosed = (code: string | undefined): boolean =>
  code === 'EPIPE' || code === 'ECONNRESET' || code === 'UND_ERR_SOCKET'

/** Nothing was sent, so nothing was done. */
const isUnsent = ({ code = '', syscall }: Failure): boolean =>
  syscall === 'connect' || /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/.test(code)

/** What to say where no answer came, and whether the message may be sent again. */
interface LostAnswer {
  message: string
  /** `reads`: it may have been done, so only what changes nothing is sent again. */
  repeat: 'all' | 'reads' | 'nothing'
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** A value that no header can carry as it is goes as Base64. */
const headerValue = (text: string): string =>
  /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?base64?')
    ? text
    : `=?base64?${btoa(String.fromCharCode(...new TextEncoder().encode(text)))}?=`

/** The messages of an answer: one JSON document, or those of a stream as they come. */
async function* messagesOf(answer: WireAnswer): AsyncGenerator<string> {
  if (!answer.header('content-type')?.startsWith('text/event-stream')) {
    const text = await answer.text()
    // To what is no request, the answer is empty; to an error of something in between, it may be.
    if (text !== '' || answer.status >= 400) yield text
    return
  }
  const decoder = new TextDecoder()
  let pending = ''
  for await (const chunk of answer.chunks()) {
    const events = (pending + decoder.decode(chunk, { stream: true })).split(/\r?\n\r?\n/)
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
  /** An address that never answered may be a wrong one, of which the client is to hear at once. */
  let wasReached = false

  const wireHeadersOf = ({ method, params }: Message): Record<string, string> => {
    const version = textOf(params?._meta?.[versionMember])
    const name = textOf(params?.name) ?? textOf(params?.uri)
    const ofMessage = version !== undefined && {
      ...(method !== undefined && { 'mcp-method': method }),
      ...(name !== undefined && { 'mcp-name': headerValue(name) }),
    }
    return headersOf({
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...((version ?? negotiated) !== undefined && { 'mcp-protocol-version': (version ?? negotiated)! }),
      ...ofMessage,
    })
  }

  const lostBy = (error: Failure, bytes: number): LostAnswer => {
    const cause = causeOf(error)
    if (bytes > largeBytes && isClosed(cause.code)) {
      const megabytes = (bytes / 1_048_576).toFixed(1)
      const message = `PAYLOAD_TOO_LARGE: The service closed the connection while it was sent a message of ${megabytes} MiB. Send a smaller one.`
      return { message, repeat: 'nothing' }
    }
    const reason = reasonOf(error)
    if (!wasReached || isUnsent(cause)) {
      const message = `Cannot reach ${endpoint} (${reason}). Check WORKLORE_URL and that the service runs.`
      return { message, repeat: wasReached ? 'all' : 'nothing' }
    }
    const message = `The connection to ${endpoint} was lost (${reason}). Look whether it was done before you repeat it.`
    return { message, repeat: 'reads' }
  }

  const fail = ({ id }: Message, message: string): void => {
    if (id === undefined) onError(message)
    else write(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_000, message } }))
  }

  /** Passes a message on, and its answer back; gives what became of it where no answer came. */
  const passOnce = async (message: Message, line: string): Promise<LostAnswer | undefined> => {
    let isAnswered = false
    try {
      const request = { method: 'POST', headers: wireHeadersOf(message), body: line, isStream: true }
      const answer = await ownExchange(endpoint, request)
      wasReached = true
      const isOk = answer.status >= 200 && answer.status < 300
      for await (const text of messagesOf(answer)) {
        if (isProtocolMessage(text)) {
          if (message.method === 'initialize') negotiated = textOf(JSON.parse(text).result?.protocolVersion)
          write(isOk ? text.replaceAll('\n', ' ') : answerTo(message, text))
        } else if (gatewayStatuses.includes(answer.status)) {
          return { message: refusalOf(answer.status, text), repeat: answer.status === 503 ? 'all' : 'reads' }
        } else fail(message, refusalOf(answer.status, text))
        isAnswered = true
      }
    } catch (error) {
      const lost = lostBy(error as Failure, new TextEncoder().encode(line).length)
      if (!isAnswered) return lost
      fail(message, lost.message)
    }
    return undefined
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
    const endMs = Date.now() + maxAwayMs
    for (let failures = 1; ; failures++) {
      const lost = await passOnce(message, line)
      if (!lost) return
      const mayRepeat = lost.repeat === 'all' || (lost.repeat === 'reads' && message.method !== 'tools/call')
      if (!mayRepeat || Date.now() >= endMs) return fail(message, lost.message)
      await sleep(Math.min(backoffMs(failures), maxPauseMs), undefined)
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
    if (underWay.size >= maxUnderWay) await Promise.race(underWay)
  }
  await Promise.all(underWay)
}
