import assert from 'node:assert/strict'
import { type Answer, send, type TestTenant } from 'worklore-testing/harness'

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'worklore-test', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

export interface PostOptions {
  key?: string | null
  headers?: Record<string, string>
  rawBody?: string
}

/** Sends a body to /mcp as it is. */
export const post = (wl: TestTenant, body: unknown, { key = wl.adminKey, headers, rawBody }: PostOptions = {}) =>
  send(wl.baseUrl, 'POST', '/mcp', {
    key,
    ...(rawBody === undefined ? { body } : { rawBody }),
    headers: { accept: 'application/json, text/event-stream', ...headers },
  })

/** Sends a request of the current revision. */
export const request = (
  wl: TestTenant,
  method: string,
  params: Record<string, unknown> = {},
  options: PostOptions = {},
): Promise<Answer> => {
  const name = params.name ?? params.uri
  return post(
    wl,
    { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: envelope } },
    {
      ...options,
      headers: {
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(typeof name === 'string' && { 'mcp-name': name }),
        ...options.headers,
      },
    },
  )
}

/** Calls a tool and answers its text, with whether that is an error. */
export const callTool = async (
  wl: TestTenant,
  name: string,
  args: Record<string, unknown> = {},
  options: PostOptions = {},
): Promise<{ text: string; isError: boolean }> => {
  const { status, text, body } = await request(wl, 'tools/call', { name, arguments: args }, options)
  if (status !== 200 || !body.result) throw new Error(`${status} ${text}`)
  const { content, isError, structuredContent } = body.result
  // Clients that find structured content drop the text.
  assert.deepEqual([content.length, content[0].type, structuredContent], [1, 'text', undefined])
  return { text: content[0].text, isError: isError === true }
}
