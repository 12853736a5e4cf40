import { request as httpRequest, type IncomingMessage } from 'node:http'
import { type Answer, type RequestOptions, send } from 'worklore-testing/harness'

/** A request whose headers the service has read, and whose body it has not got. */
export interface LateRequest {
  /** Sends the body and answers what the service says to it. */
  finish(): Promise<Answer>
}

const answerOf = async (incoming: IncomingMessage): Promise<Answer> => {
  const text = Buffer.concat(await incoming.toArray()).toString('utf8')
  const body = text === '' ? undefined : JSON.parse(text)
  return { status: incoming.statusCode!, headers: incoming.headers, text, body }
}

/** Sends the headers of a request with a good key or session, and waits until they have let it in. */
export const beginRequest = async (
  baseUrl: string,
  method: string,
  path: string,
  { key = null, body = {}, headers = {} }: RequestOptions,
): Promise<LateRequest> => {
  // Whoever is known already is let in in the turn of the event loop that reads the headers.
  await send(baseUrl, 'GET', '/v1/me', { key, headers })
  const { hostname, port } = new URL(baseUrl)
  const payload = JSON.stringify(body)
  const outgoing = httpRequest({
    hostname,
    port,
    method,
    path,
    agent: false,
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(payload),
      ...(key && { authorization: `Bearer ${key}` }),
      expect: '100-continue',
      ...headers,
    },
  })
  const answered = new Promise<Answer>((resolve, reject) => {
    outgoing.on('response', (incoming) => resolve(answerOf(incoming)))
    outgoing.on('error', reject)
  })
  outgoing.flushHeaders()
  await Promise.race([new Promise((resolve) => outgoing.once('continue', resolve)), answered])
  return {
    finish: () => {
      outgoing.end(payload)
      return answered
    },
  }
}
