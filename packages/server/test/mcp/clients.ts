import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { TestService } from '../harness.js'

/** What a tool answered: its text, and whether that is an error. */
export interface ToolAnswer {
  text: string
  isError: boolean
}

export interface ConnectedClient {
  instructions: string | undefined
  tools(): Promise<{ name: string }[]>
  call(name: string, args?: Record<string, unknown>): Promise<ToolAnswer>
  close(): Promise<void>
}

type Service = Pick<TestService, 'baseUrl'>
type Result = { content?: unknown; isError?: unknown; structuredContent?: unknown }

const answerOf = ({ content, isError }: Result): ToolAnswer => ({
  text: (content as { text: string }[]).map(({ text }) => text).join('\n'),
  isError: isError === true,
})

const identity = { name: 'worklore-test', version: '1.0.0' }

/** The official client of the current revision, which asks the server what it speaks. */
const connectNew = async ({ baseUrl }: Service, key: string): Promise<ConnectedClient> => {
  const client = new NewClient(identity, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
  const headers = { authorization: `Bearer ${key}` }
  await client.connect(new NewTransport(new URL(`${baseUrl}/mcp`), { requestInit: { headers } }))
  return {
    instructions: client.getInstructions(),
    tools: async () => (await client.listTools()).tools,
    call: async (name, args = {}) => answerOf((await client.callTool({ name, arguments: args })) as Result),
    close: () => client.close(),
  }
}

/** The official client of the revisions that begin with `initialize`. */
const connectOld = async ({ baseUrl }: Service, key: string): Promise<ConnectedClient> => {
  const client = new OldClient(identity)
  const headers = { authorization: `Bearer ${key}` }
  // The two disagree only on whether an optional member may be undefined.
  await client.connect(new OldTransport(new URL(`${baseUrl}/mcp`), { requestInit: { headers } }) as never)
  return {
    instructions: client.getInstructions(),
    tools: async () => (await client.listTools()).tools,
    call: async (name, args = {}) => answerOf((await client.callTool({ name, arguments: args })) as Result),
    close: () => client.close(),
  }
}

export const generations = [
  { revision: '2026-07-28', connect: connectNew },
  { revision: '2025-11-25', connect: connectOld },
] as const
